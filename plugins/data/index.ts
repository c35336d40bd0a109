// The data operations: rows read and changed through the metadata API, by the database's names and the role's
// permissions.

import { callerOf, disconnectSignal, type Route } from '../../sdk/http.ts'
import { definePlugin, type Engine, notFound, parseFailed, serviceKey, Type } from '../../sdk/index.ts'
import type { MetadataService } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'
import { browseRows } from './browse.ts'
import { exportRoutes } from './export/routes.ts'
import { type OfferedTables, TableOffers } from './offered-tables.ts'
import { countRows, deleteRows, insertRows, selectRows, updateRows } from './operations.ts'

export type { OfferedTables, TableOffer } from './offered-tables.ts'

/** Where other plugins offer tables to data operations that no document tracks. */
export const offeredTables = serviceKey<OfferedTables>('offered-tables')

const operations = new Set(['select', 'insert', 'update', 'delete', 'count'])

/** The data operations on a table of schema `public`, under a path of their own. */
const tableRoute = (service: MetadataService, settings: Engine['settings']): Route => ({
  method: 'POST',
  url: '/api/1/table/:table/:operation',
  auth: 'session',
  forReaders: true,
  about: {
    summary: 'Runs one of the data operations select, insert, update, delete and count on a table of schema public.',
    body: Type.Object({}, { additionalProperties: true }),
    failures: { 404: { summary: 'there is no such operation' } },
  },
  handle(call) {
    const { body, request, session, reply } = call
    const { table, operation } = request.params as { readonly table: string; readonly operation: string }
    if (!operations.has(operation)) throw notFound('No such resource exists')
    if (!isJsonObject(body)) {
      throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(body)}`)
    }
    const args = { ...body, table: { schema: 'public', name: table } }
    const options = { whenUnwanted: disconnectSignal(reply), caller: callerOf(call, settings) }
    return service.run({ type: operation, args }, session, options)
  },
})

export default definePlugin({
  name: 'data',
  dependencies: ['metadata', 'tables', 'permissions'],
  register(engine) {
    const { operations, routes, metadata } = engine
    const offers = new TableOffers()
    const data = { access: engine.access, offers }
    operations.add(selectRows(data), countRows(data), browseRows(data))
    operations.add(insertRows(data), updateRows(data), deleteRows(data))
    routes.add(tableRoute(metadata.service, engine.settings), ...exportRoutes(engine, offers))
    engine.provide(offeredTables, offers)
  },
})
