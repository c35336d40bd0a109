// Indexes that permissions lack: filters by a session variable, whose columns begin no index of a large table.

import pg from 'pg'
import { isJsonObject } from '../../core/json/json.ts'
import type { Json } from '../project/parts.ts'
import { quotedTable, tablesOf } from './tables.ts'

/** Rows from which on reading a whole table is slower than an index. */
const largeRows = 10_000

const filterKeys = ['select_permissions', 'update_permissions', 'delete_permissions'] as const

/** A filter that an index could serve: one of its columns suffices, since all of its conditions must hold. */
interface Needed {
  readonly table: string
  readonly role: string
  readonly columns: readonly string[]
}

/** The columns that a filter compares with a session variable, on the way through `_and` only. */
function comparedColumns(filter: unknown): readonly string[] {
  if (!isJsonObject(filter)) return []
  return Object.entries(filter).flatMap(([key, value]) => {
    if (/^[_$]and$/.test(key)) return Array.isArray(value) ? value.flatMap(comparedColumns) : []
    return /^[_$]/.test(key) || !isVariable(value) ? [] : [key]
  })
}

/** Whether a comparison asks for equality with a session variable. */
function isVariable(comparison: unknown): boolean {
  if (typeof comparison === 'string') return /^x-/i.test(comparison)
  if (!isJsonObject(comparison)) return false
  return Object.entries(comparison).some(
    ([operator, value]) => /^[_$](eq|in)$/.test(operator) && typeof value === 'string' && /^x-/i.test(value),
  )
}

function neededIndexes(document: Json): readonly Needed[] {
  return tablesOf(document).flatMap((entry) =>
    filterKeys.flatMap((key) => {
      const permissions = Array.isArray(entry[key]) ? entry[key].filter(isJsonObject) : []
      return permissions.flatMap(({ role, permission }) => {
        const columns = comparedColumns(isJsonObject(permission) ? permission['filter'] : null)
        return columns.length === 0 ? [] : [{ table: quotedTable(entry['table']), role: String(role), columns }]
      })
    }),
  )
}

/** The statement that lists missing indexes; null if no filter needs one. */
export function missingIndexes(document: Json): string | null {
  const rows = neededIndexes(document).map(({ table, role, columns }) => {
    const names = columns.map((column) => pg.escapeLiteral(column)).join(', ')
    return `(${pg.escapeLiteral(table)}, ${pg.escapeLiteral(role)}, array[${names}])`
  })
  if (rows.length === 0) return null
  return `
    select format('%s has no index that begins with %s, by which the permissions of %s select rows', c.oid::regclass,
                  array_to_string(columns, ' or '), string_agg(distinct role, ', '))
      from (values ${rows.join(', ')}) as needed (name, role, columns)
      join pg_class c on c.oid = to_regclass(name)
     where c.relkind in ('r', 'p', 'm') and c.reltuples >= ${largeRows}
       and not exists (
         select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indrelid = c.oid and i.indisvalid and a.attname = any (columns))
     group by c.oid, columns order by 1`
}
