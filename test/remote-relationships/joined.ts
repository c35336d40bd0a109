// The library, with rows joined to fields of a remote server.

import type { TestContext } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import type { TrellisOptions } from '../support/trellis.ts'

/** A relationship from a book to the user with its id. */
export const author = {
  ...{ name: 'author', table: 'book', service_fields: ['id'], remote_schema: 'crm' },
  remote_field: { user: { arguments: { id: '$id' } } },
}

/** Starts the library and the remote server, with these relationships. */
export async function startJoined(t: TestContext, relationships: object[] = [author], options: TrellisOptions = {}) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t, options)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  for (const each of relationships) await trellis.op('create_remote_relationship', each)
  return { crm, trellis }
}
