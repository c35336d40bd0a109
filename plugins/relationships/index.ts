// How rows of different tables belong together: object and array relationships.

import { definePlugin } from '../../sdk/index.ts'
import { relationshipContribution } from './graphql.ts'
import { arrayRelationships, objectRelationships } from './metadata.ts'
import { createRelationships, dropRelationship, renameRelationship, setRelationshipComment } from './operations.ts'
import { pgSuggestRelationships, suggestRelationships } from './suggest.ts'

export default definePlugin({
  name: 'relationships',
  dependencies: ['tables'],
  register(engine) {
    engine.metadata.facet(objectRelationships)
    engine.metadata.facet(arrayRelationships)
    engine.metadata.typeNames({ tables: ['*_obj_rel_insert_input', '*_arr_rel_insert_input'] })
    engine.operations.add(...createRelationships, dropRelationship, renameRelationship, setRelationshipComment)
    engine.operations.add(suggestRelationships, pgSuggestRelationships)
    engine.graphql.contribute(relationshipContribution)
  },
})
