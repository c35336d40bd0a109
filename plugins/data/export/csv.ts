// Cells of CSV as RFC 4180 has them: NULL is an empty cell, an empty text is `""`. Spreadsheets run texts that begin
// like a formula, so such cells get an apostrophe before them.

import type { ColumnModel } from '../../../sdk/metadata.ts'
import { id, integer, join, literal, type Sql, sql } from '../../../sdk/sql.ts'

export const lineEnd = '\r\n'

/** Characters with which formulas begin. */
const formulaStarts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']

/** Types whose texts are numbers: a minus begins no formula there. */
const numbers = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'oid'])

/** Whether a column's cells are never formulas. */
export const isHarmless = ({ type }: Pick<ColumnModel, 'type'>): boolean =>
  type.schema === 'pg_catalog' && numbers.has(type.name)

const needsQuotes = /[",\r\n]/

/** A cell; null: NULL. */
export function csvCell(text: string | null, isGuarded: boolean): string {
  if (text === null) return ''
  const guarded = isGuarded && formulaStarts.includes(text.charAt(0)) ? `'${text}` : text
  return guarded === '' || needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

const starts = join(formulaStarts.map((start) => sql`chr(${integer(start.codePointAt(0)!)})`))

/** The same of a column, in SQL. */
export function csvCellSql(row: Sql, { name }: Pick<ColumnModel, 'name'>, isGuarded: boolean): Sql {
  const text = sql`select ${row}.${id(name)}::text as "v" offset 0`
  const guarded = isGuarded
    ? sql`select case when left("v", 1) in (${starts}) then ${literal("'")} || "v" else "v" end as "v"
        from (${text}) as "text" offset 0`
    : text
  return sql`(select coalesce(case when "v" = '' or "v" ~ ${literal('[",\\r\\n]')}
    then '"' || replace("v", '"', '""') || '"' else "v" end, '') from (${guarded}) as "cell")`
}
