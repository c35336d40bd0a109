// Probes: `/healthz` for people and v1.3's load balancers, `/livez` and `/readyz` for orchestrators.

import { definePlugin } from '../../sdk/index.ts'
import { health, liveness, readiness, sourceHealth } from './routes.ts'

export default definePlugin({
  name: 'health',
  register(engine) {
    let isDraining = false
    engine.onDraining(() => {
      isDraining = true
    })
    const urls = ['/healthz', engine.dialect.healthUrl]
    engine.routes.add(
      ...urls.map((url) => health(engine, url)),
      sourceHealth(engine),
      liveness,
      readiness(engine, () => isDraining),
    )
  },
})
