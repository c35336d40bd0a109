// Starts measuring.

import { collectDefaultMetrics, Registry } from 'prom-client'
import { type Route, serveOnOwnPort } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import { createDeclared } from './declared.ts'
import { createGauges, createMeasures } from './measures.ts'
import { ownRoutes, publicRoute } from './routes.ts'
import { watch } from './watch.ts'
import { metricsOfWorkers } from './workers.ts'

/** The options of this plugin. */
interface MetricsOptions {
  readonly metricsPort: number | null
  readonly metricsSecret: string | null
}

/** Measures the server's work. Metrics are served on the server's port or on a separate one. */
export function startMetrics(engine: Engine, { metricsPort, metricsSecret }: MetricsOptions): void {
  const registry = new Registry()
  const prefix = engine.dialect.metricPrefix
  collectDefaultMetrics({ register: registry })
  watch(engine, createMeasures(registry, prefix))
  createGauges(registry, prefix, engine)
  const { measures, observe } = engine
  engine.onReady(() => createDeclared(registry, { prefix, measures: measures.all(), observe }))
  const metrics = metricsOfWorkers(registry, engine)
  engine.routes.add(publicRoute(engine, metrics, metricsSecret))
  if (metricsPort !== null) engine.onReady(() => serveAlone(engine, ownRoutes(metrics, metricsSecret), metricsPort))
}

async function serveAlone(engine: Engine, routes: readonly Route[], metricsPort: number): Promise<void> {
  const { port, close } = await serveOnOwnPort({ port: metricsPort, flag: '--metrics-port', routes }, engine)
  engine.onClose(close)
  engine.observe.log({
    type: 'startup',
    level: 'info',
    detail: { kind: 'server', info: { message: 'serving metrics', port } },
  })
}
