// The tables in which v1.3 keeps its metadata, as views, for tools that read them.

import { definePlugin } from '../../sdk/index.ts'
import { offeredTables } from '../data/index.ts'
import { SystemTables } from './tables.ts'

export default definePlugin({
  name: 'v1-tables',
  dependencies: ['tables', 'data'],
  register({ database, dialect, observe, onReady, use }) {
    if (dialect.systemSchema === null) return
    const system = new SystemTables(database, dialect.systemSchema)
    // Without the right to create schemas, the database is served without these views.
    const warn = (error: Error) => {
      const detail = `the tables of ${dialect.systemSchema} cannot be created: ${error.message}`
      observe.log({ type: 'unstructured', level: 'warn', detail })
    }
    use(offeredTables).add(system)
    onReady(() => system.open().catch(warn))
  },
})
