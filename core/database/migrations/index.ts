// The history of the schema `trellis`, oldest first. A migration that was released is never edited: a change is a new
// one. Listed here rather than found on disk, so that every build holds them. A number that is missing was of what a plugin
// has by now: databases may have it in their history.

import { metadataTables } from './0001-metadata.ts'
import { pgcrypto } from './0003-pgcrypto.ts'
import { pluginMigrations } from './0004-plugin-migrations.ts'
import { metadataSource } from './0005-metadata-source.ts'
import type { NamedMigration } from './migration.ts'

export const migrations: readonly NamedMigration[] = [metadataTables, pgcrypto, pluginMigrations, metadataSource]
