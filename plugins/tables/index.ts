// Tables and views: which are tracked, and under which names.

import { definePlugin } from '../../sdk/index.ts'
import { tableContribution, tableQueryContribution } from './graphql.ts'
import { tablesSlice } from './metadata.ts'
import {
  addExistingTableOrView,
  setTableCustomFields,
  setTableIsEnum,
  trackTable,
  trackTableV2,
  untrackTable,
} from './operations.ts'
import { generatedTypes } from './type-names.ts'

export { releaseDependents } from './dependents.ts'
export { requireTable } from './entries.ts'
export type { SystemTableName } from './system-tables.ts'

export default definePlugin({
  name: 'tables',
  dependencies: ['metadata'],
  register(engine) {
    engine.metadata.slice('tables', tablesSlice)
    engine.metadata.typeNames(generatedTypes)
    engine.operations.add(trackTable, addExistingTableOrView, trackTableV2, untrackTable)
    engine.operations.add(setTableIsEnum, setTableCustomFields)
    engine.graphql.contribute(tableContribution)
    engine.graphql.contribute(tableQueryContribution)
  },
})
