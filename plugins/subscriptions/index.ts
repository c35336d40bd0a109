// Subscriptions: over WebSockets and server-sent events, answered by one statement for all who ask the same.

import { definePlugin } from '../../sdk/index.ts'
import { startSubscriptions } from './start.ts'

export default definePlugin({
  name: 'subscriptions',
  dependencies: ['graphql'],
  api: 'graphql',
  register(engine) {
    startSubscriptions(engine)
  },
})
