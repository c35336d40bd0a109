// Subscriptions: over WebSockets and server-sent events, answered by one statement for all who ask the same.

import { definePlugin, Type } from '../../sdk/index.ts'
import { pacesOf, reported, subscriptionOptions } from './options.ts'
import { startSubscriptions } from './start.ts'

export { positionSource, withPosition } from './live/position.ts'

export default definePlugin({
  name: 'subscriptions',
  dependencies: ['graphql'],
  api: 'graphql',
  options: subscriptionOptions,
  logged: (options) => [{ key: 'live_query_options', place: 121, value: reported(pacesOf(options).live) }],
  register(engine) {
    const report = reported(pacesOf(engine.options).live)
    const schema = Type.Object({ batch_size: Type.Integer(), refetch_delay: Type.Number() })
    engine.configuration.add({ key: 'live_queries', place: 30, schema, value: () => report })
    startSubscriptions(engine)
  },
})
