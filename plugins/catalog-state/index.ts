// Free storage for tools, such as a console or a command line, that work on the server's metadata.

import { definePlugin } from '../../sdk/index.ts'
import { getCatalogState, getCatalogStateV2, setCatalogState } from './operations.ts'

export default definePlugin({
  name: 'catalog-state',
  migrations: [
    {
      name: '0001-baseline',
      sql: 'create table trellis.catalog_state (tool text primary key, state json not null)',
    },
  ],
  register({ operations }) {
    operations.add(getCatalogState, getCatalogStateV2, setCatalogState)
  },
})
