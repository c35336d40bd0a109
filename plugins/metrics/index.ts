// Metrics for Prometheus. Nothing is measured unless the API is enabled.

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
    // Loaded on demand, because most servers do not need the library.
    const { startMetrics } = await import('./start.ts')
    startMetrics(engine, engine.options)
  },
})
