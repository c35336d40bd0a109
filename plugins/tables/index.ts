// Tables and views: which are tracked, and under which names.

import { definePlugin, option } from '../../sdk/index.ts'
import type { GeneratedTypes } from '../../sdk/metadata.ts'
import { updateOperators } from '../../sdk/sql.ts'
import { numericAggregates } from './graphql/queries/aggregate-columns.ts'
import { comparableAggregates } from './graphql/queries/compared-aggregate.ts'
import { tableContribution, tableQueryContribution, updateManyContribution } from './graphql.ts'
import { tablesSlice } from './metadata.ts'
import {
  addExistingTableOrView,
  setTableCustomFields,
  setTableCustomization,
  setTableIsEnum,
  trackTable,
  trackTableV2,
  untrackTable,
} from './operations.ts'
import { pgTrackTables, trackTables } from './track-tables.ts'
import { pgUntrackTables, untrackTables } from './untrack-tables.ts'

export { releaseDependents } from './dependents.ts'
export { requireTable } from './entries.ts'
export type { SystemTableName } from './system-tables.ts'

/** The suffixes of the GraphQL types that a table gives rise to. */
const suffixes = [
  ...['', '_insert_input', '_bool_exp', '_order_by', '_aggregate', '_aggregate_fields', '_aggregate_order_by'],
  ...['_mutation_response', '_on_conflict', '_pk_columns_input', '_constraint', '_select_column', '_update_column'],
  ...['_enum', '_enum_comparison_exp', '_updates', '_aggregate_bool_exp'],
  ...['count', ...comparableAggregates.map(({ name }) => name)].map((name) => `_aggregate_bool_exp_${name}`),
  ...['max', 'min', ...numericAggregates].flatMap((name) => [
    `_${name}_fields`,
    `_${name}_order_by`,
    `_aggregate_${name}_order_by`,
  ]),
  ...updateOperators.map(({ name }) => `${name}_input`),
]

const generatedTypes: GeneratedTypes = {
  tables: suffixes.map((suffix) => `*${suffix}`),
  scalars: ['*', '*_comparison_exp', '*_equality_exp', '*_cast_exp'],
  elements: ['*_array_comparison_exp', '*_array_equality_exp'],
}

export default definePlugin({
  name: 'tables',
  dependencies: ['metadata'],
  options: {
    hideUpdateManyFields: option.flagOnly({
      flag: 'hide-update-many-fields',
      variable: 'HIDE_UPDATE_MANY_FIELDS',
      description: 'leave the fields update_T_many out of the GraphQL API',
    }),
  },
  register(engine) {
    engine.metadata.slice('tables', tablesSlice)
    engine.metadata.typeNames(generatedTypes)
    engine.operations.add(trackTable, addExistingTableOrView, trackTableV2, untrackTable)
    engine.operations.add(trackTables, pgTrackTables, untrackTables, pgUntrackTables)
    engine.operations.add(setTableIsEnum, setTableCustomFields, setTableCustomization)
    engine.graphql.contribute(tableContribution)
    engine.graphql.contribute(tableQueryContribution)
    if (!engine.options.hideUpdateManyFields) engine.graphql.contribute(updateManyContribution)
  },
})
