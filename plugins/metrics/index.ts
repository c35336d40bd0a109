// Metrics for Prometheus. Nothing is measured unless somebody may read it.

import { secretsRefusal } from '../../sdk/http.ts'
import { definePlugin, option } from '../../sdk/index.ts'

export default definePlugin({
  name: 'metrics',
  api: 'metrics',
  enabledByDefault: false,
  options: {
    metricsSecret: option.text({
      flag: 'metrics-secret',
      variable: 'METRICS_SECRET',
      json: 'list',
      placeholder: 'TEXT',
      secret: true,
      check: secretsRefusal,
      description:
        'bearer token for reading the metrics; without it only administrators may. A JSON array of texts: any of them',
    }),
    metricsPort: option.wholeOrNone(
      { minimum: 0, maximum: 65535 },
      {
        flag: 'metrics-port',
        variable: 'METRICS_PORT',
        placeholder: 'N',
        description: 'separate port for metrics, protected by the secret if there is one; 0 takes a free one',
      },
    ),
  },
  async register(engine) {
    if (!engine.apis.isEnabled('metrics') && engine.options.metricsPort === null) return
    // Loaded when it is needed, to spare other starts the library.
    const { startMetrics } = await import('./start.ts')
    startMetrics(engine, engine.options)
  },
})
