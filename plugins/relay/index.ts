// `POST /v1beta1/relay`: the GraphQL API for clients of Relay, with node ids, connections and cursors.

import { definePlugin } from '../../sdk/index.ts'
import { alwaysOk, eventStreams, graphqlEndpoint } from '../graphql/index.ts'
import { connectionContribution, functionConnectionContribution, relayContribution } from './graphql.ts'

export default definePlugin({
  name: 'relay',
  dependencies: ['tables', 'relationships', 'functions', 'graphql'],
  api: 'graphql',
  register(engine) {
    engine.metadata.typeNames({
      schemas: ['relay'],
      tables: ['*Connection', '*Edge'],
      fixed: ['Node', 'PageInfo'],
    })
    engine.graphql.contribute(relayContribution)
    engine.graphql.contribute(connectionContribution)
    engine.graphql.contribute(functionConnectionContribution)
    const events = engine.use(eventStreams)
    engine.routes.add(
      ...graphqlEndpoint(engine, { url: '/v1beta1/relay', schema: 'relay', errors: alwaysOk(engine), events }),
    )
  },
})
