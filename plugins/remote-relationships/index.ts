// Fields of rows that lead to other GraphQL servers.

import { definePlugin } from '../../sdk/index.ts'
import { remoteServers } from '../remote-schemas/index.ts'
import { remoteRelationshipContribution } from './graphql.ts'
import { remoteRelationships } from './metadata.ts'
import { createRemoteRelationship, deleteRemoteRelationship, updateRemoteRelationship } from './operations.ts'

export default definePlugin({
  name: 'remote-relationships',
  dependencies: ['tables', 'remote-schemas'],
  register(engine) {
    const { dialect } = engine
    engine.metadata.facet(remoteRelationships(dialect))
    engine.operations.add(
      createRemoteRelationship(dialect),
      updateRemoteRelationship(dialect),
      deleteRemoteRelationship,
    )
    engine.graphql.contribute(remoteRelationshipContribution(engine.use(remoteServers)))
  },
})
