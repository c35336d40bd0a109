// Apollo Federation: the tables of a role as a subgraph, whose entities a gateway joins with those of other servers.

import { definePlugin, option } from '../../sdk/index.ts'
import { schemaPrinter } from '../role-schemas/index.ts'
import { ownTypes } from './graphql/entities.ts'
import { federationContribution } from './graphql.ts'
import { federationFacet, setFederationConfig } from './metadata.ts'
import { subgraphForm, subgraphText } from './sdl.ts'

export default definePlugin({
  name: 'federation',
  dependencies: ['metadata', 'tables', 'introspection', 'role-schemas'],
  options: {
    enableApolloFederation: option.flagOnly({
      flag: 'enable-apollo-federation',
      variable: 'ENABLE_APOLLO_FEDERATION',
      description: 'serve the GraphQL API as a subgraph of Apollo Federation',
    }),
  },
  register(engine) {
    const { graphql, metadata, operations, options } = engine
    metadata.facet(federationFacet(options.enableApolloFederation))
    operations.add(setFederationConfig)
    if (!options.enableApolloFederation) return
    metadata.typeNames({ schemas: ['standard'], fixed: ownTypes })
    const print = engine.use(schemaPrinter)(subgraphForm)
    graphql.contribute(federationContribution(async (schema) => subgraphText(await print(schema))))
  },
})
