// JSON text in SQL. PostgreSQL concatenates the answer as text. Measured against json_agg, row_to_json and
// json_build_object this is the fastest form, provided that each text value is escaped by one call.

import type { PgType } from '../../catalog/types.ts'
import { join, literal, param, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import type { PrinterOptions } from '../printer.ts'
import { chainLength } from '../tuning.ts'
import { encodeArray } from '../types/codecs.ts'
import { supportOf } from '../types/type-support.ts'

/** Types whose text is always JSON. */
const plainJson = new Set(['int2', 'int4', 'int8', 'bool', 'json', 'jsonb'])

/** Types whose text needs no escaping inside of quotes, and is the same in JSON. The text of dates differs. */
const plainText = new Set(['uuid', 'oid', 'time', 'timetz', 'money', 'interval'])

/** Types that `stringify-numeric-types` prints as strings. */
const bigNumbers = new Set(['int8', 'numeric', 'float8', 'money'])

/** Whether values of the type are printed as strings. */
export const isBigNumber = ({ schema, name }: PgType, { stringifyNumbers }: PrinterOptions): boolean =>
  stringifyNumbers && schema === 'pg_catalog' && bigNumbers.has(name)

/** Whether `json_scalar` prints the type as `to_json` does. Types of extensions may have their own casts to JSON. */
const isScalar = ({ schema, kind, isArray }: PgType): boolean =>
  !isArray && (kind === 'e' || (schema === 'pg_catalog' && (kind === 'b' || kind === 'r')))

/**
 * A column's value as JSON text, `null` included; `path` selects a part of a json value. NOT NULL columns need this
 * too: they are null in rows that functions make, and where a constraint is not validated or not inherited.
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
    if (isBigNumber(type, options)) return escapedText(sql`${value}::text`, options)
    if (plainJson.has(type.name)) return plainTextOf(value, type)
    if (plainText.has(type.name)) return sql`'"' || ${plainTextOf(value, type)} || '"'`
    // JSON has strings for NaN and the infinities. All other numbers differ from themselves by zero.
    if (type.name === 'numeric') {
      return sql`case when ${value} - ${value} = 0 then ${value}::text else to_json(${value})::text end`
    }
  }
  const support = supportOf(type)
  if (support?.json) return support.json(value, type)
  return isScalar(type) ? escapedText(value, options) : sql`to_json(${value})::text`
}

/**
 * The text of a value whose type needs no escaping. The cast to the type is free. If the column has got another type
 * since the catalog was read, the cast fails unless the text is valid for the known type.
 */
const plainTextOf = (value: Sql, type: PgType): Sql => sql`${value}::${trusted(type.sql)}::text`

const escapedText = (value: Sql, { serverVersion }: PrinterOptions): Sql =>
  serverVersion >= 17 ? sql`json_scalar(${value})::text` : sql`to_json(${value})::text`

const orNull = (text: Sql): Sql => sql`coalesce(${text}, 'null')`

/**
 * A value as an argument of PostgreSQL's JSON functions, in a form that PostgreSQL can read again without loss. That
 * form is PostgreSQL's own text for records, for jsonb that would look like NULL, and for types that extensions print
 * themselves. It is also used for domains over domains, since other domains are treated as their base type.
 */
export function roundTripJson(value: Sql, type: PgType): Sql {
  if (type.name === 'jsonb') return roundTripJsonb(value)
  return isReadAgain(type) ? value : sql`(${value})::text`
}

/** Whether PostgreSQL can read a value of the type again from its `to_json` form. */
function isReadAgain({ schema, name, kind, isArray }: PgType): boolean {
  if (isArray) return schema === 'pg_catalog' && name !== '_jsonb'
  return kind === 'b' ? schema === 'pg_catalog' : kind !== 'c' && kind !== 'd'
}

/** The jsonb values null and strings become texts that hold JSON, because jsonb null would look like NULL. */
const roundTripJsonb = (value: Sql): Sql =>
  sql`case when jsonb_typeof(${value}) in ('null', 'string') then to_json(${value}::text) else to_json(${value}) end`

/** Concatenates pieces, where strings are constant JSON. Neighbouring constants are merged. */
export function concat(pieces: readonly (string | Sql)[]): Sql {
  return balanced(merge(pieces).map((piece) => (typeof piece === 'string' ? literal(piece) : sql`${piece}`)))
}

/** PostgreSQL takes at most 100 arguments, including the template. */
const maxFormatArguments = 99

/** As {@link concat}, for a single row: one call starts faster than a chain of operators, but runs slower. */
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

function balanced(terms: readonly Sql[]): Sql {
  if (terms.length <= chainLength) return join(terms.map(parenthesized), ' || ')
  const half = Math.ceil(terms.length / 2)
  return sql`(${balanced(terms.slice(0, half))}) || (${balanced(terms.slice(half))})`
}

/** A chain or a CASE needs parentheses within another chain. */
const parenthesized = (term: Sql): Sql => {
  const first = term.parts[0]
  const simple = term.parts.length === 1 && typeof first === 'string'
  return simple ? term : sql`(${term})`
}
