// The GraphQL endpoints over HTTP.

import { definePlugin } from '../../sdk/index.ts'
import { graphqlRoutes } from './routes.ts'

export { serveEvents, streamTokenHeader, wantsEvents } from './event-streams.ts'
export { alwaysOk, graphqlRoute } from './routes.ts'

export default definePlugin({
  name: 'graphql',
  api: 'graphql',
  register(engine) {
    engine.routes.add(...graphqlRoutes(engine))
  },
})
