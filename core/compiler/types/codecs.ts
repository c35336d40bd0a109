// How JSON values become PostgreSQL's input text, by type, and how the wrong ones are refused.

import type { EnumValue, PgType } from '../../catalog/types.ts'
import type { Codec } from '../../database/sql/param.ts'
import { id, type SqlType, sql } from '../../database/sql/sql.ts'
import { parseFailed, type TrellisError, validationFailed, within } from '../../errors/errors.ts'
import { type Decimal, decimalText, decimalToInteger, parseDecimal, plainDecimal } from '../../json/decimal.ts'
import { beyondJson, isRawNumber, type JsonType, jsonType } from '../../json/json.ts'
import { englishList, isGraphQLName } from '../../names/names.ts'
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
 * The GraphQL scalar of a PostgreSQL type; null when the type's name is not a GraphQL name. A table's rows are an object
 * type of the name that the values of its row type would have.
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

/** What messages call a JSON value. */
export const jsonKind = (value: unknown): string => beyondJson(value) ?? jsonKinds[jsonType(value)]

/** The text of a JSON number, as it was written where a double could not hold it; null for other values. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  return isRawNumber(value) ? value.rawJSON : null
}

/** A value of the wrong kind where a type of GraphQL itself, or an enum, is expected. */
function wrongKind({ type, expects }: Codec, value: unknown, literal?: string): TrellisError {
  return validationFailed(`expected ${expects} for type "${type}", but found ${literal ?? jsonKind(value)}`)
}

function outOfBounds(decimal: Decimal, integer: boolean): TrellisError {
  const value = `The value ${decimalText(decimal)} lies outside the bounds`
  if (!integer) return parseFailed(`${value}.  Is it overflowing the float bounds?`)
  return parseFailed(`${value} or is not an integer.  Maybe it is a float, or is there integer overflow?`)
}

/** Whether a number is an integer of so many bits, and no larger than numbers are exact. */
const isInteger = (value: number, bits: number): boolean =>
  Number.isSafeInteger(value) && (bits > 53 || (value < 2 ** (bits - 1) && value >= -(2 ** (bits - 1))))

/** The text of a JSON number that is an integer of so many bits; throws when it is not. */
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

/** Refuses the text of a number that a double cannot hold. */
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

/** Texts: `String` and what GraphQL passes as such. */
export const stringCodec: Codec = {
  type: 'String',
  expects: 'a string',
  encode(value, literal) {
    if (typeof value !== 'string' || literal === 'an enum value') throw wrongKind(this, value, literal)
    return value
  },
}

/** `ID`: an integer is its digits. */
export const idCodec: Codec = {
  type: 'ID',
  expects: 'a String or a 32-bit integer',
  encode(value, literal) {
    if (typeof value === 'string') return stringCodec.encode.call(this, value, literal)
    return intCodec.encode.call(this, value, literal)
  },
}

/** The refusal of a JSON value of another kind than expected. */
export const undecodable = (what: string, expected: JsonType, value: unknown): TrellisError =>
  parseFailed(`parsing ${what} failed, expected ${expected}, but encountered ${beyondJson(value) ?? jsonType(value)}`)

/** Integers that may also come as strings, which PostgreSQL reads. */
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

/** Numbers that may also come as strings. */
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

/** Strings may be more than JSON has numbers for, such as `Infinity`; PostgreSQL reads them. */
const doubleCodec: Codec = {
  ...doubleNumber,
  encode(value) {
    const text = doubleNumber.encode(value)
    if (typeof value !== 'string') requireDouble(text)
    return text
  },
}

const moneyNumber = numericCodec('money')

/** More digits than any amount of money has, before the point or behind it. */
const moneyDigits = 40

/** PostgreSQL reads amounts of money without exponent; as strings they may be in the form of the database's locale. */
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

const jsonCodec = (type: string): Codec => ({
  type,
  encode(value) {
    let text: string | undefined
    try {
      text = JSON.stringify(value)
    } catch (cause) {
      if (cause instanceof RangeError) throw parseFailed(`the value for type ${type} is nested too deeply`)
      if (!(cause instanceof TypeError)) throw cause
    }
    if (text === undefined) throw parseFailed(`the value for type ${type} is none that JSON has`)
    return text
  },
})

const textCodec = (type: string, what: string): Codec => ({
  type,
  encode(value) {
    if (typeof value !== 'string') throw undecodable(what, 'String', value)
    return value
  },
})

/** Every type that has no rules of its own takes PostgreSQL's input syntax. */
const otherCodec = (type: string): Codec => ({
  type,
  encode(value) {
    if (typeof value !== 'string') throw parseFailed(`A string is expected for type: ${type}`)
    return value
  },
})

/** PostgreSQL's own limit. */
const maxDimensions = 6

/** Arrays come as lists, nested for several dimensions, or as PostgreSQL's text of an array. */
function arrayCodec(arrayType: PgType): Codec {
  const type = arrayType.name
  const elementType = type.slice(1)
  // The texts of these are in no syntax of PostgreSQL, so they cannot be put into one of its arrays.
  if (hasSupportedElements(arrayType)) return otherCodec(type)
  const element = codecOf(elementType)
  const delimiter = elementType === 'box' ? ';' : ','
  const nests = elementType !== 'json' && elementType !== 'jsonb'

  const encodeItems = (items: readonly unknown[], dimensions: number): string => {
    if (dimensions > maxDimensions) throw parseFailed(`too many dimensions for type: ${type}`)
    const encoded = items.map((item, i) => within(i, () => encodeItem(item, dimensions)))
    return `{${encoded.join(delimiter)}}`
  }
  const encodeItem = (item: unknown, dimensions: number): string => {
    if (item === null) return 'NULL'
    return nests && Array.isArray(item) ? encodeItems(item, dimensions + 1) : quoteItem(element.encode(item))
  }

  return {
    type,
    encode(value) {
      if (typeof value === 'string') return value
      if (!Array.isArray(value)) throw parseFailed(`A string is expected for type: ${type}`)
      return encodeItems(value, 1)
    },
  }
}

const isEscaped = /["\\]/

const quoteItem = (text: string): string => (isEscaped.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`)

/** PostgreSQL's text of a one-dimensional array; numbers stand in it as JavaScript prints them. */
export function encodeArray(items: readonly (string | number | null)[]): string {
  // JSON quotes as PostgreSQL does as long as nothing has to be escaped, and is made without a step for each item.
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

/** As a codec, but strings in the place of numbers and booleans are left to PostgreSQL to read. */
export const textLiteralCodec = (codec: Codec): Codec => textLiterals.get(codec) ?? codec

const textLiterals: ReadonlyMap<Codec, Codec> = new Map(
  [intCodec, floatCodec, booleanCodec].map((codec) => [
    codec,
    { ...codec, encode: (value, literal) => (typeof value === 'string' ? value : codec.encode(value, literal)) },
  ]),
)

const codecs = new Map<string, Codec>(Object.entries(known))

/** Whether values of the type have rules of their own, and are not just text in PostgreSQL's syntax. */
export const isKnownType = (type: PgType): boolean =>
  !type.isArray && (codecs.has(type.name) || supportOf(type) !== undefined)

const codecOf = (typeName: string): Codec => codecs.get(typeName) ?? otherCodec(typeName)

/** The codec of a PostgreSQL type. */
export function codecFor(type: PgType): Codec {
  if (type.isArray) return arrayCodec(type)
  return supportOf(type)?.codec(type) ?? codecOf(type.name)
}

/** What the texts of a codec become, where `sqlType` is the type of the values. */
export function inputType({ decode }: Codec, sqlType: string): SqlType {
  return decode ? (text) => decode(sql`${text}::text`) : sqlType
}

/** What an array of a codec's texts becomes. */
export function listInputType({ decode }: Codec, elementType: string): SqlType {
  if (!decode) return `${elementType}[]`
  const item = id('item')
  return (texts) => sql`array(select ${decode(item)} from unnest(${texts}::text[]) as ${item})`
}

/** The codec of columns that reference an enum table; `type` is the GraphQL enum's name. */
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
