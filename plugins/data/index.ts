// The data operations: rows read and changed through the metadata API, by the database's names and the role's
// permissions.

import { definePlugin, type Engine } from '../../sdk/index.ts'
import { countRows, deleteRows, insertRows, selectRows, updateRows } from './operations.ts'
import { tableRoute } from './routes.ts'
import { SystemTables } from './system/tables.ts'

/** The tables that tools of the dialect read; a database that does not let us make them is served all the same. */
function openSystemTables({ database, dialect, observe, onReady }: Engine): SystemTables | null {
  if (dialect.systemSchema === null) return null
  const system = new SystemTables(database, dialect.systemSchema)
  const warn = (error: Error) => {
    const detail = `the tables of ${dialect.systemSchema} cannot be offered: ${error.message}`
    observe.log({ type: 'unstructured', level: 'warn', detail })
  }
  onReady(() => system.open().catch(warn))
  return system
}

export default definePlugin({
  name: 'data',
  dependencies: ['metadata', 'tables', 'permissions'],
  register(engine) {
    const { operations, routes, metadata } = engine
    const data = { access: engine.access, system: openSystemTables(engine) }
    operations.add(selectRows(data), countRows(data))
    operations.add(insertRows(data), updateRows(data), deleteRows(data))
    routes.add(tableRoute(metadata.service))
  },
})
