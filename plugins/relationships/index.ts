// How rows of different tables belong together: object and array relationships.

import { definePlugin, option } from '../../sdk/index.ts'
import { aggregatePredicateContribution, relationshipContribution } from './graphql.ts'
import { arrayRelationships, objectRelationships } from './metadata.ts'
import { createRelationships, dropRelationship, renameRelationship, setRelationshipComment } from './operations.ts'
import { pgSuggestRelationships, suggestRelationships } from './suggest.ts'

export { resolveColumns } from './metadata.ts'

export default definePlugin({
  name: 'relationships',
  dependencies: ['tables'],
  options: {
    hideAggregationPredicates: option.flagOnly({
      flag: 'hide-aggregation-predicates',
      variable: 'HIDE_AGGREGATION_PREDICATES',
      description: 'leave conditions on aggregates of related rows out of the GraphQL API',
    }),
  },
  register(engine) {
    engine.metadata.facet(objectRelationships)
    engine.metadata.facet(arrayRelationships)
    engine.metadata.typeNames({ tables: ['*_obj_rel_insert_input', '*_arr_rel_insert_input'] })
    engine.operations.add(...createRelationships, dropRelationship, renameRelationship, setRelationshipComment)
    engine.operations.add(suggestRelationships, pgSuggestRelationships)
    engine.graphql.contribute(relationshipContribution)
    if (!engine.options.hideAggregationPredicates) engine.graphql.contribute(aggregatePredicateContribution)
  },
})
