// Metrics for Prometheus. Nothing is measured unless somebody may read it.

import { definePlugin } from '../../sdk/index.ts'

export default definePlugin({
  name: 'metrics',
  api: 'metrics',
  enabledByDefault: false,
  async register(engine) {
    if (!engine.apis.isEnabled('metrics') && engine.settings.metricsPort === null) return
    // Loaded when it is needed, to spare other starts the library.
    const { startMetrics } = await import('./start.ts')
    startMetrics(engine)
  },
})
