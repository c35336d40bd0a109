// Columns and relationships by their names, which the server searches: the page knows those of open tables alone.

import { tableKey, tableName } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import { configQuery, queries, seenMetadata, type TableEntry, tablesOf } from '../../server/queries.ts'
import type { Command } from '../../shell/contract.ts'
import { pathOf } from '../../shell/paths.ts'

/** Results of one search. */
const limit = 50

interface Match {
  /** As `track.milliseconds`. */
  readonly path: string
  readonly kind: string
}

/** The name of the type of a table's rows. */
function typeOf({ table, configuration }: TableEntry & { readonly configuration?: { readonly custom_name?: string } }) {
  const { schema, name } = tableName(table)
  return configuration?.custom_name ?? (schema === 'public' ? name : `${schema}_${name}`)
}

/** The fields of tables with such a name. */
export async function searchColumns(text: string, signal: AbortSignal): Promise<readonly Command[]> {
  const { plugins } = await queries.ensureQueryData(configQuery)
  if (!plugins.some(({ name }) => name === 'role-schemas')) return []
  const [metadata, { matches }] = await Promise.all([
    seenMetadata(),
    run<{ readonly matches: readonly Match[] }>('search_schema', { role: 'admin', text, limit }, { signal }),
  ])
  const tables = new Map(tablesOf(metadata).map((entry) => [typeOf(entry), tableName(entry.table)]))
  return matches.flatMap(({ path, kind }) => {
    const [type = '', field] = path.split('.')
    const table = kind === 'field' && field !== undefined ? tables.get(type) : undefined
    if (!table) return []
    const { schema, name } = table
    const id = `column ${tableKey(table)} ${field}`
    return [{ id, title: path, kind: 'field', path: pathOf('data', schema, name, 'structure') }]
  })
}
