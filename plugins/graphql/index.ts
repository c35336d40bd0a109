// The GraphQL endpoints over HTTP.

import { definePlugin } from '../../core/plugin.ts'
import { graphqlRoutes } from './routes.ts'

export { alwaysOk, graphqlRoute } from './routes.ts'

export default definePlugin({
  name: 'graphql',
  api: 'graphql',
  register(engine) {
    engine.routes.add(...graphqlRoutes(engine))
  },
})
