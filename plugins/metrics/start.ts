// Measuring, from the start of the server on.

import { collectDefaultMetrics, Registry } from 'prom-client'
import { serveOnOwnPort } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import { createGauges, createMeasures } from './measures.ts'
import { ownRoutes, publicRoute } from './routes.ts'
import { watch } from './watch.ts'

/** Measures what the server does; the metrics are read beside the other endpoints, or on a port of their own. */
export function startMetrics(engine: Engine): void {
  const registry = new Registry()
  const prefix = engine.dialect.metricPrefix
  collectDefaultMetrics({ register: registry })
  watch(engine, createMeasures(registry, prefix))
  createGauges(registry, prefix, engine)
  engine.routes.add(publicRoute(engine, registry))
  const { metricsPort } = engine.settings
  if (metricsPort !== null) engine.onReady(() => serveAlone(engine, registry, metricsPort))
}

async function serveAlone(engine: Engine, registry: Registry, metricsPort: number): Promise<void> {
  const routes = ownRoutes(engine, registry)
  const { port, close } = await serveOnOwnPort({ port: metricsPort, flag: '--metrics-port', routes }, engine)
  engine.onClose(close)
  engine.observe.log({
    type: 'startup',
    level: 'info',
    detail: { kind: 'server', info: { message: 'serving metrics', port } },
  })
}
