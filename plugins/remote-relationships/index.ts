// Joins rows, answers of actions, and objects of other GraphQL servers to rows or to fields of such servers.

import { definePlugin } from '../../sdk/index.ts'
import { objectRelationships } from '../custom-types/index.ts'
import { relationshipsOfTypes, remoteServers } from '../remote-schemas/index.ts'
import { remoteRelationshipContribution } from './graphql.ts'
import { remoteRelationships } from './metadata.ts'
import { objectRemoteRelationships } from './object-relationships.ts'
import { createRemoteRelationship, deleteRemoteRelationship, updateRemoteRelationship } from './operations.ts'
import { createTypeRelationship, deleteTypeRelationship, updateTypeRelationship } from './type-operations.ts'
import { typeRelationships } from './type-relationships.ts'

export default definePlugin({
  name: 'remote-relationships',
  dependencies: ['tables', 'relationships', 'remote-schemas', 'custom-types'],
  register(engine) {
    const { dialect, settings } = engine
    engine.metadata.facet(remoteRelationships(dialect, settings))
    engine.operations.add(
      createRemoteRelationship(dialect),
      updateRemoteRelationship(dialect),
      deleteRemoteRelationship,
    )
    const servers = engine.use(remoteServers)
    engine.graphql.contribute(remoteRelationshipContribution(servers))
    engine.operations.add(createTypeRelationship(dialect), updateTypeRelationship(dialect), deleteTypeRelationship)
    engine.use(relationshipsOfTypes).definitions = typeRelationships(dialect, servers)
    engine.use(objectRelationships).add(objectRemoteRelationships(dialect, servers))
  },
})
