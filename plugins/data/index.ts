// The data operations: rows read and changed through the metadata API, by the database's names and the role's
// permissions (metadata-api 20).

import { definePlugin } from '../../core/plugin.ts'
import { countRows, deleteRows, insertRows, selectRows, updateRows } from './operations.ts'
import { tableRoute } from './routes.ts'

export default definePlugin({
  name: 'data',
  dependencies: ['metadata', 'tables', 'permissions'],
  register({ dialect, settings, operations, routes, metadata }) {
    const options = { dialect, stringifyNumbers: settings.stringifyNumericTypes }
    operations.add(selectRows(options), countRows(options))
    operations.add(insertRows(options), updateRows(options), deleteRows(options))
    routes.add(tableRoute(metadata.service))
  },
})
