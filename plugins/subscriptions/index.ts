// Subscriptions over WebSockets and server-sent events; one statement answers all subscribers with the same query.

import { definePlugin, StartError, Type } from '../../sdk/index.ts'
import { liveSettingsOf, reported, subscriptionOptions } from './options.ts'
import { startSubscriptions } from './start.ts'

export { positionSource, withPosition } from './live/groups/position.ts'

export default definePlugin({
  name: 'subscriptions',
  dependencies: ['graphql'],
  api: 'graphql',
  options: subscriptionOptions,
  logged: (options) => [{ key: 'live_query_options', place: 121, value: reported(liveSettingsOf(options).live) }],
  register(engine) {
    const { dialect, options, settings } = engine
    if (options.wsReadCookie && !settings.disableCors) {
      throw new StartError(`${dialect.environmentPrefix}WS_READ_COOKIE can only be used when CORS is disabled`)
    }
    const report = ({ batch_size, refetch_delay: delay }: ReturnType<typeof reported>) => ({
      batch_size,
      refetch_delay: dialect.wholeDelays ? Math.ceil(delay) : delay,
    })
    const { live, streams } = liveSettingsOf(options)
    const delay = dialect.wholeDelays ? Type.Integer() : Type.Number()
    const schema = Type.Object({ batch_size: Type.Integer(), refetch_delay: delay })
    engine.configuration.add({ key: 'live_queries', place: 30, schema, value: () => report(reported(live)) })
    if (settings.graphqlInterface === '2') {
      engine.configuration.add({ key: 'streaming_queries', place: 32, schema, value: () => report(reported(streams)) })
    }
    startSubscriptions(engine)
  },
})
