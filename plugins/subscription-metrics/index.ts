// Metrics of subscriptions: who is connected, what is asked for them, and how long that takes.

import { definePlugin } from '../../sdk/index.ts'
import { metricsRegistry } from '../metrics/index.ts'
import { subscriptionActivity } from '../subscriptions/index.ts'

export default definePlugin({
  name: 'subscription-metrics',
  dependencies: ['metrics', 'subscriptions'],
  async register(engine) {
    const metrics = engine.use(metricsRegistry)
    if (metrics === null) return
    // Loaded when it is needed, to spare other starts the library.
    const { addMeasures } = await import('./measures.ts')
    addMeasures(metrics, engine.use(subscriptionActivity))
  },
})
