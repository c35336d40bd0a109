// Subscriptions: over WebSockets and server-sent events, answered by one statement for all who ask the same.

import { definePlugin, Type } from '../../sdk/index.ts'
import { liveOptionsOf, reported, subscriptionOptions } from './options.ts'
import { startSubscriptions } from './start.ts'

export default definePlugin({
  name: 'subscriptions',
  dependencies: ['graphql'],
  api: 'graphql',
  options: subscriptionOptions,
  logged: (options) => [{ key: 'live_query_options', place: 121, value: reported(liveOptionsOf(options)) }],
  register(engine) {
    const report = reported(liveOptionsOf(engine.options))
    const schema = Type.Object({ batch_size: Type.Integer(), refetch_delay: Type.Number() })
    engine.configuration.add({ key: 'live_queries', place: 30, schema, value: () => report })
    startSubscriptions(engine)
  },
})
