// Running SQL as it is.

import { definePlugin } from '../../sdk/index.ts'
import { cancelSql } from './cancelling.ts'
import { runSql, runSqlV2 } from './operations.ts'

export default definePlugin({
  name: 'sql',
  dependencies: ['metadata', 'tables', 'relationships', 'permissions'],
  register({ operations, database }) {
    operations.add(runSql, runSqlV2, cancelSql(database))
  },
})
