// The rows of entities as SQL: for each type a query over the keys, and one list in the order of the representations.

import {
  concat,
  type Frame,
  id,
  join,
  type Output,
  outputSql,
  type Printer,
  type Sql,
  sql,
  trusted,
} from '../../../sdk/sql.ts'
import type { Entity } from './entities.ts'
import { placeColumn } from './representations.ts'

/** The rows of one entity. */
export interface EntityRows {
  readonly entity: Entity
  /** The representations as a JSON list. */
  readonly keys: Sql
  /** Of a row of keys: the row of the table, or null. */
  readonly output: Output
}

/** `'[…]'`: a value for each representation. */
export function entitiesSql(parts: readonly EntityRows[], printer: Printer): Sql {
  if (parts.length === 0) return sql`'[]'`
  const all = printer.alias()
  const queries = join(
    parts.map((part) => rowsQuery(part, printer)),
    ' union all ',
  )
  const list = sql`coalesce(string_agg(${all}.j, ',' order by ${all}.${id(placeColumn)}), '')`
  return sql`(select ${concat(['[', list, ']'])} from (${queries}) as ${all})`
}

function rowsQuery({ entity, keys, output }: EntityRows, printer: Printer): Sql {
  const row = printer.alias()
  const frame: Frame = { row, joins: [], toOne: 'behind' }
  const item = outputSql(output, frame, printer)
  const columns = [...entity.key.values()].map(({ name, type }) => sql`${id(name)} ${trusted(type.sql)}`)
  const given = sql`json_to_recordset(${keys}) as ${row} (${join([sql`${id(placeColumn)} integer`, ...columns])})`
  return sql`select ${row}.${id(placeColumn)}, ${item} as j from ${given}${join(frame.joins, '')}`
}
