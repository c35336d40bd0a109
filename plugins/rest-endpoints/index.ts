// REST endpoints: queries of collections at paths below `/api/rest/`.

import { definePlugin } from '../../sdk/index.ts'
import { queryUses } from '../collections/index.ts'
import { endpointsOf, restEndpointsSlice } from './metadata.ts'
import { createRestEndpoint, dropRestEndpoint } from './operations.ts'
import { restRoutes } from './routes.ts'
import { swaggerRoute } from './swagger.ts'

export default definePlugin({
  name: 'rest-endpoints',
  dependencies: ['metadata', 'collections', 'graphql'],
  register(engine) {
    engine.metadata.slice('rest_endpoints', restEndpointsSlice)
    engine.use(queryUses).push(endpointsOf)
    engine.operations.add(createRestEndpoint, dropRestEndpoint)
    engine.routes.add(...restRoutes(engine), swaggerRoute(engine))
  },
})
