// JSON text in SQL. PostgreSQL puts answers together as text: measured against json_agg, row_to_json and
// json_build_object it is the fastest form, provided that escaping is left to one call per text value.

import type { PgType } from '../../catalog/types.ts'
import { join, literal, param, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import type { PrinterOptions } from '../printer.ts'
import { encodeArray } from '../types/codecs.ts'
import { supportOf } from '../types/type-support.ts'

/** Types whose text is JSON whatever the value. */
const plainJson = new Set(['int2', 'int4', 'int8', 'bool', 'json', 'jsonb'])

/** Types whose text never needs escaping inside quotes, and is the same in JSON; that of dates is not. */
const plainText = new Set(['uuid', 'oid', 'time', 'timetz', 'money', 'interval'])

/** Types that `stringify-numeric-types` turns into strings. */
const bigNumbers = new Set(['int8', 'numeric', 'float8', 'money'])

/** Whether `json_scalar` prints values of the type as `to_json` does: types of extensions may have casts of their own. */
const isScalar = ({ schema, kind, isArray }: PgType): boolean =>
  !isArray && (kind === 'e' || (schema === 'pg_catalog' && (kind === 'b' || kind === 'r')))

/**
 * A column's value as JSON text, `null` included; `path` picks a part of a json value. Columns that are declared NOT NULL are no
 * exception: they are null in rows that functions make, and where a constraint is not validated or not inherited.
 */
export function columnJson(
  value: Sql,
  column: { readonly type: PgType; readonly path?: readonly string[] | null },
  options: PrinterOptions,
): Sql {
  if (column.path) {
    const path = { from: 'constant', value: encodeArray(column.path) } as const
    return orNull(sql`(${value} #> ${param(path, 'text[]')})::text`)
  }
  return orNull(notNullJson(value, column.type, options))
}

function notNullJson(value: Sql, type: PgType, options: PrinterOptions): Sql {
  // Types of other schemas may have the same names.
  if (type.schema === 'pg_catalog') {
    if (options.stringifyNumbers && bigNumbers.has(type.name)) return escapedText(sql`${value}::text`, options)
    if (plainJson.has(type.name)) return plainTextOf(value, type)
    if (plainText.has(type.name)) return sql`'"' || ${plainTextOf(value, type)} || '"'`
    // NaN and the infinities are the numbers that are strings in JSON; all others differ from themselves by zero.
    if (type.name === 'numeric') {
      return sql`case when ${value} - ${value} = 0 then ${value}::text else to_json(${value})::text end`
    }
  }
  const printed = supportOf(type)?.json?.(value, type)
  if (printed) return printed
  return isScalar(type) ? escapedText(value, options) : sql`to_json(${value})::text`
}

/**
 * The text of a value of a type whose texts need no escaping. The cast to its type costs nothing, and when the column has
 * got another type since the catalog was read, its text is an error unless it is one of the type that it had.
 */
const plainTextOf = (value: Sql, type: PgType): Sql => sql`${value}::${trusted(type.sql)}::text`

const escapedText = (value: Sql, { serverVersion }: PrinterOptions): Sql =>
  serverVersion >= 17 ? sql`json_scalar(${value})::text` : sql`to_json(${value})::text`

const orNull = (text: Sql): Sql => sql`coalesce(${text}, 'null')`

/**
 * A value as an argument of PostgreSQL's JSON functions where the JSON is read again. Records, jsonb that would look like
 * NULL, domains (over domains, as others are taken for what they are over), and what extensions print in a way of their own
 * are texts in PostgreSQL's syntax there, so that nothing is lost.
 */
export function roundTripJson(value: Sql, type: PgType): Sql {
  if (type.name === 'jsonb') return roundTripJsonb(value)
  return isReadAgain(type) ? value : sql`(${value})::text`
}

/** Whether what `to_json` makes of a value of the type says all that PostgreSQL needs to have it again. */
function isReadAgain({ schema, name, kind, isArray }: PgType): boolean {
  if (isArray) return schema === 'pg_catalog' && name !== '_jsonb'
  return kind === 'b' ? schema === 'pg_catalog' : kind !== 'c' && kind !== 'd'
}

/** The null of jsonb as a text, and hence the texts too: as texts that hold JSON. */
const roundTripJsonb = (value: Sql): Sql =>
  sql`case when jsonb_typeof(${value}) in ('null', 'string') then to_json(${value}::text) else to_json(${value}) end`

/** The concatenation of pieces, strings being constant JSON; constants next to each other become one. */
export function concat(pieces: readonly (string | Sql)[]): Sql {
  return balanced(merge(pieces).map((piece) => (typeof piece === 'string' ? literal(piece) : sql`${piece}`)))
}

/** PostgreSQL takes 100 arguments at most, the template among them. */
const maxFormatArguments = 99

/** The same for a single row: one call starts faster than a chain of operators, though it runs slower. */
export function concatOnce(pieces: readonly (string | Sql)[]): Sql {
  const merged = merge(pieces)
  const values = merged.filter((piece) => typeof piece !== 'string')
  if (values.length === 0 || values.length > maxFormatArguments) return concat(pieces)
  const template = merged.map((piece) => (typeof piece === 'string' ? piece.replaceAll('%', '%%') : '%s')).join('')
  return sql`format(${join([literal(template), ...values])})`
}

function merge(pieces: readonly (string | Sql)[]): (string | Sql)[] {
  const merged: (string | Sql)[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece
    else if (piece !== '') merged.push(piece)
  }
  return merged
}

/** Longer chains are split in halves, lest the expression nest as deep as it is long. */
const chainLength = 64

function balanced(terms: readonly Sql[]): Sql {
  if (terms.length <= chainLength) return join(terms.map(parenthesized), ' || ')
  const half = Math.ceil(terms.length / 2)
  return sql`(${balanced(terms.slice(0, half))}) || (${balanced(terms.slice(half))})`
}

/** A term that is itself a chain or a CASE must not swallow its neighbours. */
const parenthesized = (term: Sql): Sql => {
  const first = term.parts[0]
  const simple = term.parts.length === 1 && typeof first === 'string'
  return simple ? term : sql`(${term})`
}
