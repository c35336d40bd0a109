// Functions of a row as members of the row.

import { definePlugin } from '../../sdk/index.ts'
import { computedFieldContribution } from './graphql.ts'
import { computedFields } from './metadata.ts'
import { addComputedField, dropComputedField } from './operations.ts'

export default definePlugin({
  name: 'computed-fields',
  dependencies: ['tables', 'functions'],
  register(engine) {
    engine.metadata.facet(computedFields)
    engine.operations.add(addComputedField, dropComputedField)
    engine.graphql.contribute(computedFieldContribution)
  },
})
