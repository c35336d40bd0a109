// The rows and sequences of the database, and their differences from a world.

import type { TestTrellis } from '../../support/trellis.ts'
import { qualified, quoted, sequenceColumns } from '../deploy.ts'
import { difference, type Expected, exactly } from '../expected.ts'
import { parseExact } from '../json.ts'
import { columnTypes } from '../types.ts'
import type { Table, World } from '../world.ts'

type Sql = TestTrellis['sql']

/** The first difference between the rows of the database and a world; null when they are equal. */
export async function rowsDifference(world: World, sql: Sql): Promise<string | null> {
  const queries = world.tables.map((table) => `select ${rowsSql(table)} as text`)
  const rows = await sql<{ text: string }>(queries.join(' union all '))
  for (const [i, table] of world.tables.entries()) {
    const found = difference(expectedRows(table), parseExact(rows[i]!.text))
    if (found !== null) return `the table ${qualified(table)}: ${found}`
  }
  return null
}

/** All rows of a table as JSON text. */
function rowsSql(table: Table): string {
  const columns = table.columns.map(({ name }) => `t.${quoted(name)}`)
  return `(select coalesce(json_agg(json_build_array(${columns.join(', ')})), '[]')::text from ${qualified(table)} as t)`
}

function expectedRows({ columns, rows }: Table): Expected {
  const group = rows.map((row): Expected => {
    const cells = columns.map(({ id, type }): Expected => {
      const stored = row[id] ?? null
      return stored === null ? exactly(null) : columnTypes[type].expected(stored.datum)
    })
    return { kind: 'list', items: cells }
  })
  return { kind: 'rows', groups: group.length === 0 ? [] : [group], offset: 0, limit: Number.POSITIVE_INFINITY }
}

/** The last values of the database's sequences. */
export async function readSequences(world: World, sql: Sql): Promise<World['sequences']> {
  const columns = sequenceColumns(world)
  if (columns.length === 0) return {}
  const queries = columns.map(({ name }) => `select pg_sequence_last_value(${name}::regclass)::text as last`)
  const rows = await sql<{ last: string | null }>(queries.join(' union all '))
  return Object.fromEntries(columns.map(({ column }, i) => [column, BigInt(rows[i]!.last ?? '0')]))
}
