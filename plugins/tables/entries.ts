// Finding the tables that operations name.

import { isDraft, original } from 'immer'
import { badRequest, nameText, type QualifiedName } from '../../sdk/index.ts'
import { findTable, type MetadataDocument, similarName, sourceName, type TableEntry } from '../../sdk/metadata.ts'

/** A tracked table's entry; refuses one that is not tracked. */
export function requireTable(metadata: MetadataDocument, name: QualifiedName): TableEntry {
  const entry = findTable(metadata, name)
  if (entry) return entry
  // A draft of each of thousands of entries would cost more than all else.
  const tables = (isDraft(metadata.tables) && original(metadata.tables)) || metadata.tables
  const names = () => tables.map(({ table }) => table)
  const help = () => similarName(name, names())
  const message = `table "${nameText(name)}" does not exist`
  const inInterface2 = { message: `${message} in source: ${sourceName(metadata)}` }
  throw badRequest('not-exists', message, { help, inInterface2 })
}
