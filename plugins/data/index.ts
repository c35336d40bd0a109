// The data operations: rows read and changed through the metadata API, by the database's names and the role's
// permissions.

import { definePlugin, serviceKey } from '../../sdk/index.ts'
import { type OfferedTables, TableOffers } from './offered-tables.ts'
import { countRows, deleteRows, insertRows, selectRows, updateRows } from './operations.ts'
import { tableRoute } from './routes.ts'

export type { OfferedTables, TableOffer } from './offered-tables.ts'

/** Where other plugins offer tables to data operations that no document tracks. */
export const offeredTables = serviceKey<OfferedTables>('offered-tables')

export default definePlugin({
  name: 'data',
  dependencies: ['metadata', 'tables', 'permissions'],
  register(engine) {
    const { operations, routes, metadata } = engine
    const offers = new TableOffers()
    const data = { access: engine.access, offers }
    operations.add(selectRows(data), countRows(data))
    operations.add(insertRows(data), updateRows(data), deleteRows(data))
    routes.add(tableRoute(metadata.service))
    engine.provide(offeredTables, offers)
  },
})
