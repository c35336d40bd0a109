// Finding what operations are about.

import { badRequest } from '../../core/errors.ts'
import type { MetadataDocument, TableEntry } from '../../core/metadata/document.ts'
import { findTable } from '../../core/metadata/slices.ts'
import { nameText, type QualifiedName } from '../../core/names.ts'

/** A tracked table's entry; refuses one that is not tracked. */
export function requireTable(metadata: MetadataDocument, name: QualifiedName): TableEntry {
  const entry = findTable(metadata, name)
  if (!entry) throw badRequest('not-exists', `table "${nameText(name)}" does not exist`)
  return entry
}
