// Encodes JSON values as PostgreSQL's input text, by type, and refuses values of the wrong kind.

import type { EnumValue, PgType } from '../../catalog/types.ts'
import { atOnce, type Steps } from '../../concurrency/stepwise.ts'
import type { Codec } from '../../database/sql/param.ts'
import { id, type SqlType, sql } from '../../database/sql/sql.ts'
import { parseFailed, TrellisError, validationFailed, within } from '../../errors/errors.ts'
import { type Decimal, decimalText, decimalToInteger, parseDecimal, plainDecimal } from '../../json/decimal.ts'
import { beyondJson, isRawNumber, type JsonType, jsonType } from '../../json/json.ts'
import { stringifySteps } from '../../json/stringify-steps.ts'
import { englishList, isGraphQLName } from '../../names/names.ts'
import { itemsAtOnce } from '../tuning.ts'
import { hasSupportedElements, supportOf } from './type-support.ts'

const scalarNames: ReadonlyMap<string, string> = new Map([
  ['int2', 'smallint'],
  ['int4', 'Int'],
  ['int8', 'bigint'],
  ['float4', 'Float'],
  ['bool', 'Boolean'],
  ['text', 'String'],
  ['varchar', 'String'],
])

/**
 * The GraphQL scalar of a PostgreSQL type; null if the type's name is not a GraphQL name. The row type of a table gets
 * a suffix, because the table's object type has its name.
 */
export function scalarName(type: PgType): string | null {
  const name = type.isTableRow ? `${type.name}_scalar` : (scalarNames.get(type.name) ?? type.name)
  return isGraphQLName(name) ? name : null
}

const jsonKinds: Readonly<Record<JsonType, string>> = {
  Null: 'null',
  Array: 'a list',
  Number: 'a number',
  String: 'a string',
  Boolean: 'a boolean',
  Object: 'an object',
}

/** The name of a JSON value's kind in messages. */
export const jsonKind = (value: unknown): string => beyondJson(value) ?? jsonKinds[jsonType(value)]

/** The text of a JSON number, with its original digits if a double could not hold it; null for other values. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  return isRawNumber(value) ? value.rawJSON : null
}

/** The error for a value of the wrong kind, for GraphQL's own scalars and for enums. */
function wrongKind({ type, expects }: Codec, value: unknown, literal?: string): TrellisError {
  return validationFailed(`expected ${expects} for type "${type}", but found ${literal ?? jsonKind(value)}`)
}

function outOfBounds(decimal: Decimal, integer: boolean): TrellisError {
  const value = `The value ${decimalText(decimal)} lies outside the bounds`
  if (!integer) return parseFailed(`${value}.  Is it overflowing the float bounds?`)
  return parseFailed(`${value} or is not an integer.  Maybe it is a float, or is there integer overflow?`)
}

/** Whether a number is an integer of at most `bits` bits that a double holds exactly. */
const isInteger = (value: number, bits: number): boolean =>
  Number.isSafeInteger(value) && (bits > 53 || (value < 2 ** (bits - 1) && value >= -(2 ** (bits - 1))))

/** The text of a JSON number that is an integer of at most `bits` bits; throws for other numbers. */
function integerText(text: string, bits: number): string {
  const decimal = parseDecimal(text)!
  const integer = decimalToInteger(decimal)
  if (integer === null || BigInt.asIntN(bits, integer) !== integer) throw outOfBounds(decimal, true)
  return String(integer)
}

const intCodec: Codec = {
  type: 'Int',
  expects: 'a 32-bit integer',
  isPlain: (value) => isInteger(value, 32),
  encode(value, literal) {
    if (typeof value === 'number' && isInteger(value, 32) && literal !== 'a float') return String(value)
    const text = numberText(value)
    if (text === null || literal === 'a float') throw wrongKind(this, value, literal)
    return integerText(text, 32)
  },
}

const floatCodec: Codec = {
  type: 'Float',
  expects: 'a float',
  isPlain: Number.isFinite,
  encode(value, literal) {
    const text = numberText(value)
    if (text === null) throw wrongKind(this, value, literal)
    requireDouble(text)
    return text
  },
}

/** Throws if a double cannot hold the number. */
export function requireDouble(text: string): void {
  if (!Number.isFinite(Number(text))) throw outOfBounds(parseDecimal(text)!, false)
}

const booleanCodec: Codec = {
  type: 'Boolean',
  expects: 'a boolean',
  encode(value, literal) {
    if (typeof value !== 'boolean') throw wrongKind(this, value, literal)
    return value ? 'true' : 'false'
  },
}

/** `String`, and other types whose values are GraphQL strings. */
export const stringCodec: Codec = {
  type: 'String',
  expects: 'a string',
  encode(value, literal) {
    if (typeof value !== 'string' || literal === 'an enum value') throw wrongKind(this, value, literal)
    return value
  },
}

/** `ID`: an integer becomes its digits. */
export const idCodec: Codec = {
  type: 'ID',
  expects: 'a String or a 32-bit integer',
  encode(value, literal) {
    if (typeof value === 'string') return stringCodec.encode.call(this, value, literal)
    return intCodec.encode.call(this, value, literal)
  },
}

/** The error for a JSON value of another type than expected. */
export const undecodable = (what: string, expected: JsonType, value: unknown): TrellisError =>
  parseFailed(`parsing ${what} failed, expected ${expected}, but encountered ${beyondJson(value) ?? jsonType(value)}`)

/** Integers, as numbers or as strings that PostgreSQL parses. */
const integerCodec = (type: string, bits: number): Codec => ({
  type,
  isPlain: (value) => isInteger(value, bits),
  encode(value) {
    if (typeof value === 'string') return value
    if (typeof value === 'number' && isInteger(value, bits)) return String(value)
    const text = numberText(value)
    if (text === null) throw undecodable(`Int${bits}`, 'Number', value)
    return integerText(text, bits)
  },
})

/** Numbers, or strings that PostgreSQL parses. */
const numericCodec = (type: string): Codec => ({
  type,
  isPlain: Number.isFinite,
  encode(value) {
    if (typeof value === 'string') return value
    const text = numberText(value)
    if (text === null) throw undecodable('Scientific', 'Number', value)
    return text
  },
})

const doubleNumber = numericCodec('float8')

/** PostgreSQL parses strings, which can hold values that JSON numbers cannot, such as `Infinity`. */
const doubleCodec: Codec = {
  ...doubleNumber,
  encode(value) {
    const text = doubleNumber.encode(value)
    if (typeof value !== 'string') requireDouble(text)
    return text
  },
}

const moneyNumber = numericCodec('money')

/** More digits than any amount of money has, before or after the decimal point. */
const moneyDigits = 40

/** PostgreSQL takes no exponent in amounts of money. Strings may have the format of the database's locale. */
const moneyCodec: Codec = {
  ...moneyNumber,
  isPlain: (value) => Number.isFinite(value) && !String(value).includes('e'),
  encode(value) {
    const text = moneyNumber.encode(value)
    if (typeof value === 'string' || !/e/i.test(text)) return text
    const decimal = parseDecimal(text)!
    if (decimal.exponent > moneyDigits) throw outOfBounds(decimal, false)
    return plainDecimal(decimal, moneyDigits)
  },
}

function jsonCodec(type: string): Codec {
  const refused = (cause: unknown): unknown => {
    if (cause instanceof RangeError) return parseFailed(`the value for type ${type} is nested too deeply`)
    return cause instanceof TypeError ? parseFailed(`the value for type ${type} cannot be encoded as JSON`) : cause
  }
  return {
    type,
    encode(value) {
      let text: string | undefined
      try {
        text = JSON.stringify(value)
      } catch (cause) {
        throw refused(cause)
      }
      if (text === undefined) throw refused(new TypeError())
      return text
    },
    *encodeSteps(value) {
      try {
        return yield* stringifySteps(value)
      } catch (cause) {
        throw refused(cause)
      }
    },
  }
}

const textCodec = (type: string, what: string): Codec => ({
  type,
  encode(value) {
    if (typeof value !== 'string') throw undecodable(what, 'String', value)
    return value
  },
})

/** Types without their own rules take PostgreSQL's input syntax. */
const otherCodec = (type: string): Codec => ({
  type,
  encode(value) {
    if (typeof value !== 'string') throw parseFailed(`A string is expected for type: ${type}`)
    return value
  },
})

/** PostgreSQL's own limit. */
const maxDimensions = 6

/** Arrays are lists (nested for several dimensions) or PostgreSQL's text of an array. */
function arrayCodec(arrayType: PgType): Codec {
  const type = arrayType.name
  const elementType = type.slice(1)
  // These elements are not in PostgreSQL's syntax, so they cannot be part of its array text.
  if (hasSupportedElements(arrayType)) return otherCodec(type)
  const element = codecOf(elementType)
  const delimiter = elementType === 'box' ? ';' : ','
  const nests = elementType !== 'json' && elementType !== 'jsonb'

  function* encodeItems(items: readonly unknown[], dimensions: number): Steps<string> {
    if (dimensions > maxDimensions) throw parseFailed(`too many dimensions for type: ${type}`)
    const encoded: string[] = []
    for (const [i, item] of items.entries()) {
      const isNested = nests && Array.isArray(item)
      encoded.push(isNested ? yield* nested(item, i, dimensions + 1) : within(i, () => encodeItem(item)))
      if (i % itemsAtOnce === itemsAtOnce - 1) yield
    }
    return `{${encoded.join(delimiter)}}`
  }
  function* nested(items: readonly unknown[], i: number, dimensions: number): Steps<string> {
    try {
      return yield* encodeItems(items, dimensions)
    } catch (error) {
      throw error instanceof TrellisError ? error.at(i) : error
    }
  }
  const encodeItem = (item: unknown): string => (item === null ? 'NULL' : quoteItem(element.encode(item)))

  function* encodeSteps(value: unknown): Steps<string> {
    if (typeof value === 'string') return value
    if (!Array.isArray(value)) throw parseFailed(`A string is expected for type: ${type}`)
    return yield* encodeItems(value, 1)
  }
  return { type, encode: (value) => atOnce(encodeSteps(value)), encodeSteps }
}

const isEscaped = /["\\]/

/** Whether a text has a control character: these come before the space. */
const isControl = /[^ -\uffff]/

function quoteItem(text: string): string {
  if (!isEscaped.test(text)) return `"${text}"`
  // JSON escapes control characters, PostgreSQL does not. All else is escaped alike, and `JSON.stringify` is many times faster.
  if (!isControl.test(text) && text.isWellFormed()) return JSON.stringify(text)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** PostgreSQL's text of a one-dimensional array. Numbers keep JavaScript's spelling. */
export function encodeArray(items: readonly (string | number | null)[]): string {
  // JSON and PostgreSQL quote alike unless something is escaped, and `JSON.stringify` needs no step for each item.
  const json = JSON.stringify(items)
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`
  return `{${items.map((item) => (typeof item === 'string' ? quoteItem(item) : String(item))).join()}}`
}

const known: Readonly<Record<string, Codec>> = {
  int4: intCodec,
  float4: floatCodec,
  bool: booleanCodec,
  text: stringCodec,
  varchar: stringCodec,
  int2: integerCodec('smallint', 16),
  int8: integerCodec('bigint', 64),
  float8: doubleCodec,
  numeric: numericCodec('numeric'),
  money: moneyCodec,
  json: jsonCodec('json'),
  jsonb: jsonCodec('jsonb'),
  date: textCodec('date', 'Day'),
  timestamp: textCodec('timestamp', 'LocalTime'),
  timestamptz: textCodec('timestamptz', 'UTCTime'),
  timetz: textCodec('timetz', 'ZonedTimeOfDay'),
  uuid: textCodec('uuid', 'UUID'),
  citext: textCodec('citext', 'Text'),
  bpchar: textCodec('bpchar', 'Text'),
}

/** The codec, except that PostgreSQL parses strings that are given for numbers and booleans. */
export const textLiteralCodec = (codec: Codec): Codec => textLiterals.get(codec) ?? codec

const textLiterals: ReadonlyMap<Codec, Codec> = new Map(
  [intCodec, floatCodec, booleanCodec].map((codec) => [
    codec,
    {
      ...codec,
      encode(value, literal) {
        const isText = typeof value === 'string' && literal !== 'an enum value'
        return isText ? value : codec.encode(value, literal)
      },
    },
  ]),
)

const codecs = new Map<string, Codec>(Object.entries(known))

/** Whether core knows the type of PostgreSQL with that name in `pg_type`. */
export const isCoreType = (typeName: string): boolean => codecs.has(typeName)

/** Whether values of the type have their own rules, instead of plain text in PostgreSQL's syntax. */
export const isKnownType = (type: PgType): boolean =>
  !type.isArray && (codecs.has(type.name) || supportOf(type) !== undefined)

const codecOf = (typeName: string): Codec => codecs.get(typeName) ?? otherCodec(typeName)

/** The codec of a PostgreSQL type. */
export function codecFor(type: PgType): Codec {
  if (type.isArray) return arrayCodec(type)
  return supportOf(type)?.codec(type) ?? codecOf(type.name)
}

/** The SQL type of a codec's texts, where the values have the type `sqlType`. */
export function inputType({ decode }: Codec, sqlType: string): SqlType {
  return decode ? (text) => decode(sql`${text}::text`) : sqlType
}

/** The SQL type of an array of a codec's texts. */
export function listInputType({ decode }: Codec, elementType: string): SqlType {
  if (!decode) return `${elementType}[]`
  const item = id('item')
  return (texts) => sql`array(select ${decode(item)} from unnest(${texts}::text[]) as ${item})`
}

/** The codec of columns that reference an enum table; `type` is the name of the GraphQL enum. */
export function enumCodec(type: string, values: readonly EnumValue[]): Codec {
  const names = values.map(({ value }) => value)
  const known = new Set(names)
  return {
    type,
    expects: 'an enum value',
    encode(value, literal) {
      const isToken = literal === undefined || literal === 'an enum value'
      if (typeof value !== 'string' || !isToken) throw wrongKind(this, value, literal)
      if (known.has(value)) return value
      const expected = `expected one of the values ${englishList(names, 'or')} for type "${type}"`
      throw validationFailed(`${expected}, but found "${value}"`)
    },
  }
}
