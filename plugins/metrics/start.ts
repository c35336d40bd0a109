// Measuring, from the start of the server on.

import { collectDefaultMetrics, Registry } from 'prom-client'
import { Admission, createHttp, listen, mountRoute, takeBodiesAsBytes } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import { Wrapping } from '../../sdk/services.ts'
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
  if (metricsPort !== null) engine.onReady(() => serveOnOwnPort(engine, registry, metricsPort))
}

/** What is asked there is neither measured nor limited. */
async function serveOnOwnPort(engine: Engine, registry: Registry, serverPort: number): Promise<void> {
  const { settings, observe, auth } = engine
  const http = createHttp({ settings, observe, auth: null })
  engine.onClose(() => http.close())
  const context = { settings, observe, auth, admission: new Admission(), wrapping: new Wrapping() }
  await http.app.register(async (scope) => {
    takeBodiesAsBytes(scope)
    for (const route of ownRoutes(engine, registry)) mountRoute(scope, route, context)
  })
  const port = await listen(http, { ...settings, serverPort }, '--metrics-port')
  observe.log({
    type: 'startup',
    level: 'info',
    detail: { kind: 'server', info: { message: 'serving metrics', port } },
  })
}
