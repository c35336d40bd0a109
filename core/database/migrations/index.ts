// The history of the schema `trellis`, oldest first. A migration that was released is never edited: a change is a new
// one. Listed here rather than found on disk, so that every build holds them.

import { metadataTables } from './0001-metadata.ts'
import { catalogState } from './0002-catalog-state.ts'
import { pgcrypto } from './0003-pgcrypto.ts'
import type { NamedMigration } from './migration.ts'

export const migrations: readonly NamedMigration[] = [metadataTables, catalogState, pgcrypto]
