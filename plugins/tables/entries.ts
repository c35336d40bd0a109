// Finding what operations are about.

import { isDraft, original } from 'immer'
import { similarName } from '../../core/catalog/similar-names.ts'
import { badRequest } from '../../core/errors.ts'
import type { MetadataDocument, TableEntry } from '../../core/metadata/document.ts'
import { findTable } from '../../core/metadata/slices.ts'
import { nameText, type QualifiedName } from '../../core/names.ts'

/** A tracked table's entry; refuses one that is not tracked. */
export function requireTable(metadata: MetadataDocument, name: QualifiedName): TableEntry {
  const entry = findTable(metadata, name)
  if (entry) return entry
  // A draft of each of thousands of entries would cost more than all else.
  const tables = (isDraft(metadata.tables) && original(metadata.tables)) || metadata.tables
  const names = () => tables.map(({ table }) => table)
  const help = () => similarName(name, names())
  throw badRequest('not-exists', `table "${nameText(name)}" does not exist`, { help })
}
