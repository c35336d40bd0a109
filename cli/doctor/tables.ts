// The tables of a document, whatever its format.

import pg from 'pg'
import { isJsonObject } from '../../core/json/json.ts'
import type { Json } from '../project/parts.ts'

/** The entries of all tables. */
export function tablesOf(document: Json): readonly Json[] {
  const sources = Array.isArray(document['sources']) ? document['sources'].filter(isJsonObject) : [document]
  return sources.flatMap(({ tables }) => (Array.isArray(tables) ? tables.filter(isJsonObject) : []))
}

/** The name of a table as SQL. */
export function quotedTable(table: unknown): string {
  const { schema, name } = isJsonObject(table) ? table : { schema: 'public', name: table }
  return `${pg.escapeIdentifier(String(schema ?? 'public'))}.${pg.escapeIdentifier(String(name))}`
}
