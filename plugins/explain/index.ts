// `POST /v1/graphql/explain`: the SQL and the plan of a GraphQL request for a role. It belongs to the metadata API.

import { definePlugin } from '../../sdk/index.ts'
import { explainRoutes } from './routes.ts'

export default definePlugin({
  name: 'explain',
  dependencies: ['graphql'],
  register(engine) {
    engine.routes.add(...explainRoutes(engine))
  },
})
