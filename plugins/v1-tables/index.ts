// The tables in which servers of v1.3 keep their metadata, for the dialect whose tools read them.

import { definePlugin } from '../../sdk/index.ts'
import { offeredTables } from '../data/index.ts'
import { SystemTables } from './tables.ts'

export default definePlugin({
  name: 'v1-tables',
  dependencies: ['tables', 'data'],
  register({ database, dialect, observe, onReady, use }) {
    if (dialect.systemSchema === null) return
    const system = new SystemTables(database, dialect.systemSchema)
    // A database that does not let us make them is served all the same.
    const warn = (error: Error) => {
      const detail = `the tables of ${dialect.systemSchema} cannot be offered: ${error.message}`
      observe.log({ type: 'unstructured', level: 'warn', detail })
    }
    use(offeredTables).add(system)
    onReady(() => system.open().catch(warn))
  },
})
