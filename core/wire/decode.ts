// Decodes parsed JSON by a TypeBox schema, with the API's messages and paths for errors. Unknown keys are refused or
// dropped, and null in an optional key counts as absent, so that the result can be stored.

import {
  Kind,
  KindGuard,
  OptionalKind,
  type Static,
  type TArray,
  type TObject,
  type TRecord,
  type TSchema,
  type TUnion,
} from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { badRequest, type ErrorHelp, parseFailed, TrellisError } from '../errors/errors.ts'
import { didYouMean } from '../errors/nearest.ts'
import { below, type Path, type PathKey, pathKeys } from '../errors/path.ts'
import { isJsonObject, isRawNumber, type JsonType, jsonType, memberOf, saysNothing } from '../json/json.ts'
import type { Dialect } from '../names/dialect.ts'

/** The treatment of keys that a schema does not name, unless the schema itself decides. */
export type UnknownKeys = 'refused' | 'passed over'

/** The treatment of unknown keys in a dialect. */
export const unknownKeysIn = ({ unknownKeysPass }: Pick<Dialect, 'unknownKeysPass'>): UnknownKeys =>
  unknownKeysPass ? 'passed over' : 'refused'

/** Decodes a part of the current value, with the same treatment of unknown keys. */
export type DecodePart = <S extends TSchema>(schema: S, value: unknown) => Static<S>

/** Schema options that control decoding. */
export interface DecodeOptions {
  /**
   * The message for a missing key of this object: A `key "x" not found`, B (the default) `the key 'x' was not present`.
   */
  readonly missingKey?: 'A' | 'B'
  /** Keys of this object in newer engines, for features that are not served: accepted if empty, refused otherwise. */
  readonly laterKeys?: readonly string[]
  /** Keys of this object in older engines that no longer have a meaning: ignored. */
  readonly formerKeys?: readonly string[]
  /** The name of this type in messages instead of `Object`, `Int`, `Text` and so on. */
  readonly typeName?: string
  /** The whole message if the JSON type is wrong; for a scalar, also if it breaks any other rule of its schema. */
  readonly message?: string | ((value: unknown) => string)
  /** Turns the checked value into the stored one; may throw with a path relative to the value. */
  readonly convert?: (value: never, decodePart: DecodePart) => unknown
  /** The schema that applies if unknown keys are ignored, for input that v1.3 accepts and ignores. */
  readonly tolerated?: TSchema
  /** The schema in descriptions of the API, if `convert` checks more than the real schema. */
  readonly shown?: TSchema
}

/** The decode options of a schema. */
export const decodeOptions = (schema: TSchema) => schema as DecodeOptions

type Decoder = (value: unknown, path: Path | null) => unknown

interface Scope {
  readonly unknownKeys: UnknownKeys
  /** Decoders under construction by `$id`, for recursive schemas. */
  readonly decoders: ReadonlyMap<string, () => Decoder>
}

/** Compiled decoders: schemas do not change. */
const decoders: Readonly<Record<UnknownKeys, WeakMap<TSchema, Decoder>>> = {
  refused: new WeakMap(),
  'passed over': new WeakMap(),
}

/** Decodes a value; throws `parse-failed` with a path below `at`. */
export function decode<S extends TSchema>(
  schema: S,
  value: unknown,
  at: readonly PathKey[] = [],
  unknownKeys: UnknownKeys = 'passed over',
): Static<S> {
  let decoder = decoders[unknownKeys].get(schema)
  if (!decoder) {
    decoder = compileSchema(schema, { unknownKeys, decoders: new Map() })
    decoders[unknownKeys].set(schema, decoder)
  }
  return decoder(value, at.reduce<Path | null>(below, null)) as Static<S>
}

const partDecoders: Readonly<Record<UnknownKeys, DecodePart>> = {
  refused: (schema, value) => decode(schema, value, [], 'refused'),
  'passed over': (schema, value) => decode(schema, value),
}

const failed = (message: string, path: Path | null) => parseFailed(message, pathKeys(path))

function compileSchema(schema: TSchema, outer: Scope): Decoder {
  const options = decodeOptions(schema)
  if (options.tolerated && outer.unknownKeys === 'passed over') return compileSchema(options.tolerated, outer)
  let self: Decoder | undefined
  const scope = schema.$id === undefined ? outer : withDecoder(outer, schema.$id, () => self!)
  const shape = compileShape(schema, scope)
  const checked = options.message === undefined ? shape : withMessage(schema, shape, options.message)
  self = options.convert === undefined ? checked : withConversion(checked, options.convert, scope.unknownKeys)
  return self
}

const withDecoder = (scope: Scope, id: string, decoder: () => Decoder): Scope => ({
  ...scope,
  decoders: new Map(scope.decoders).set(id, decoder),
})

function compileShape(schema: TSchema, scope: Scope): Decoder {
  if (KindGuard.IsObject(schema)) return objectDecoder(schema, scope)
  if (KindGuard.IsArray(schema)) return arrayDecoder(schema, scope)
  if (KindGuard.IsRecord(schema)) return recordDecoder(schema, scope)
  if (KindGuard.IsUnion(schema)) return unionDecoder(schema, scope)
  switch (schema[Kind]) {
    case 'String':
      return stringDecoder(schema)
    case 'Integer':
      return integerDecoder(schema)
    case 'Number':
      return scalarDecoder(schema, 'Double', 'Number', readDouble)
    case 'Boolean':
      return scalarDecoder(schema, 'Bool', 'Boolean', (value) => value)
    case 'Unknown':
    case 'Any':
    case 'Unsafe':
      return (value) => value
    case 'This':
    case 'Ref':
      return (value, path) => scope.decoders.get(schema.$ref)!()(value, path)
    default:
      return constraintDecoder(schema)
  }
}

function withMessage(schema: TSchema, decoder: Decoder, message: NonNullable<DecodeOptions['message']>): Decoder {
  const types = jsonTypesOf(schema)
  const isScalar = !types.includes('Object') && !types.includes('Array')
  const text = typeof message === 'string' ? () => message : message
  return (value, path) => {
    if (!types.includes(jsonType(value))) throw failed(text(value), path)
    try {
      return decoder(value, path)
    } catch (error) {
      throw isScalar ? failed(text(value), path) : error
    }
  }
}

function withConversion(
  decoder: Decoder,
  convert: NonNullable<DecodeOptions['convert']>,
  unknownKeys: UnknownKeys,
): Decoder {
  const decodePart = partDecoders[unknownKeys]
  return (value, path) => {
    const checked = decoder(value, path)
    try {
      return convert(checked as never, decodePart)
    } catch (error) {
      throw error instanceof TrellisError ? error.at(...pathKeys(path)) : error
    }
  }
}

const mismatch = (what: string, expected: string, value: unknown, path: Path | null) =>
  failed(`parsing ${what} failed, expected ${expected}, but encountered ${jsonType(value)}`, path)

const missingKey = (key: string, form: 'A' | 'B', path: Path | null) =>
  failed(form === 'A' ? `key "${key}" not found` : `the key '${key}' was not present`, path)

interface Property {
  readonly key: string
  readonly optional: boolean
  readonly keepsNull: boolean
  readonly decoder: Decoder
}

const acceptsNull = (schema: TSchema): boolean =>
  schema[Kind] === 'Null' || (KindGuard.IsUnion(schema) && schema.anyOf.some(acceptsNull))

function objectDecoder(schema: TObject, scope: Scope): Decoder {
  const { missingKey: form = 'B', typeName = 'Object' } = decodeOptions(schema)
  const properties = Object.entries(schema.properties).map(
    ([key, property]): Property => ({
      key,
      optional: property[OptionalKind] === 'Optional',
      keepsNull: acceptsNull(property),
      decoder: compileSchema(property, scope),
    }),
  )
  const closed = schema.additionalProperties === false
  const isOpen = schema.additionalProperties === true || scope.unknownKeys === 'passed over'
  const refuse = isOpen ? refuseLaterKeys : refuseUnknownKeys
  return (value, path) => {
    if (!isJsonObject(value)) throw mismatch(typeName, 'Object', value, path)
    if (closed) refuseUnknownKeys(value, schema, path)
    const result: Record<string, unknown> = {}
    for (const { key, optional, keepsNull, decoder } of properties) {
      const member = Object.hasOwn(value, key) ? value[key] : undefined
      if (member === undefined && !optional) throw missingKey(key, form, path)
      if (member === undefined || (member === null && optional && !keepsNull)) continue
      result[key] = decoder(member, below(path, key))
    }
    // Missing keys are reported first, so that a union reports the error of the alternative that was meant.
    if (!closed) refuse(value, schema, path)
    return result
  }
}

function refuseUnknownKeys(given: object, schema: TObject, path: Path | null): void {
  const { laterKeys = [], formerKeys = [] } = decodeOptions(schema)
  const isUnknown = (key: string, value: unknown) => {
    if (Object.hasOwn(schema.properties, key) || formerKeys.includes(key)) return false
    return !(laterKeys.includes(key) && saysNothing(value))
  }
  const [first, ...others] = Object.keys(given).filter((key) => isUnknown(key, memberOf(given, key)))
  if (first === undefined) return
  const helpFor = (key: string) => didYouMean(key, () => Object.keys(schema.properties))
  const cause: FurtherUnknownKeys = { furtherKeys: others, helpFor }
  throw unexpected(first, path).with({ help: helpFor(first), cause })
}

/** Further unknown keys of an object, as the cause of the error about the first one. */
interface FurtherUnknownKeys {
  readonly furtherKeys: readonly string[]
  readonly helpFor: (key: string) => () => ErrorHelp
}

/** Refuses unknown keys that would have an effect in newer engines. */
function refuseLaterKeys(given: object, schema: TObject, path: Path | null): void {
  const { laterKeys = [] } = decodeOptions(schema)
  const later = Object.entries(given).find(([key, value]) => laterKeys.includes(key) && !saysNothing(value))
  if (later) throw unexpected(later[0], path)
}

const unexpected = (key: string, path: Path | null) => failed(`unexpected key "${key}"`, below(path, key))

const isUnexpectedKey = (error: unknown): boolean =>
  error instanceof TrellisError && error.message.startsWith('unexpected key ')

/** The error about an unknown key, and those about `most` further ones of its object at most; empty for any other error. */
export function unknownKeyErrors(error: unknown, most: number): readonly TrellisError[] {
  if (!(error instanceof TrellisError) || !isUnexpectedKey(error)) return []
  const { furtherKeys, helpFor } = (error.cause ?? { furtherKeys: [] }) as FurtherUnknownKeys
  const place = error.path.slice(0, -1)
  const further = (key: string) => parseFailed(`unexpected key "${key}"`, [...place, key]).with({ help: helpFor(key) })
  return [error, ...furtherKeys.slice(0, most).map(further)]
}

function arrayDecoder(schema: TArray, scope: Scope): Decoder {
  const item = compileSchema(schema.items, scope)
  const { typeName = '[]' } = decodeOptions(schema)
  const { minItems = 0 } = schema
  return (value, path) => {
    if (!Array.isArray(value)) throw mismatch(typeName, 'Array', value, path)
    if (value.length < minItems) throw failed('empty list not allowed', path)
    return value.map((member, i) => item(member, below(path, i)))
  }
}

function recordDecoder(schema: TRecord, scope: Scope): Decoder {
  const member = compileSchema(Object.values(schema.patternProperties)[0] as TSchema, scope)
  const { typeName = 'Object' } = decodeOptions(schema)
  return (value, path) => {
    if (!isJsonObject(value)) throw mismatch(typeName, 'Object', value, path)
    // `fromEntries` makes every key an own property, even `__proto__`.
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, member(each, below(path, key))]))
  }
}

const kindTypes: Readonly<Record<string, readonly JsonType[]>> = {
  Object: ['Object'],
  Record: ['Object'],
  Array: ['Array'],
  Tuple: ['Array'],
  String: ['String'],
  Integer: ['Number'],
  Number: ['Number'],
  Boolean: ['Boolean'],
  Null: ['Null'],
}

const anyType: readonly JsonType[] = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Null']

/** The JSON types that a schema may accept. */
function jsonTypesOf(schema: TSchema): readonly JsonType[] {
  if (schema[Kind] === 'Literal') return [jsonType(schema.const)]
  if (KindGuard.IsUnion(schema)) return schema.anyOf.flatMap(jsonTypesOf)
  return kindTypes[schema[Kind]] ?? anyType
}

/**
 * Decodes by the first alternative that fits. If several have the value's JSON type and all fail, the error of the last
 * one is thrown. If an earlier one failed only by an unknown key, its error is thrown instead. With literals and one
 * other alternative, such as `"*"` and a list, the error of that other alternative is thrown.
 */
function unionDecoder(schema: TUnion, scope: Scope): Decoder {
  const alternatives = schema.anyOf.map((each) => ({ types: jsonTypesOf(each), decoder: compileSchema(each, scope) }))
  const others = alternatives.filter((_, index) => schema.anyOf[index]![Kind] !== 'Literal')
  const literals = others.length === 0
  const only = others.length === 1 && alternatives.length > 1 ? others[0] : undefined
  const expected = literals
    ? `one of ${schema.anyOf.map((each) => `'${each.const}'`).join(', ')}`
    : [...new Set(jsonTypesOf(schema))].join(' or ')
  return (value, path) => {
    const type = jsonType(value)
    let complaint: unknown
    for (const { types, decoder } of alternatives) {
      if (!types.includes(type)) continue
      try {
        return decoder(value, path)
      } catch (error) {
        if (!isUnexpectedKey(complaint)) complaint = literals ? failed(`expected ${expected}`, path) : error
      }
    }
    if (only !== undefined) return only.decoder(value, path)
    throw complaint ?? failed(`expected ${expected}, but encountered ${type}`, path)
  }
}

function stringDecoder(schema: TSchema): Decoder {
  const fits = constraint(schema)
  const { typeName = 'Text' } = decodeOptions(schema)
  return (value, path) => {
    if (typeof value !== 'string') throw mismatch(typeName, 'String', value, path)
    if (value === '' && schema.minLength > 0) throw failed('empty string not allowed', path)
    if (!fits(value)) throw failed(`${JSON.stringify(value)} is not valid here`, path)
    return value
  }
}

function integerDecoder(schema: TSchema): Decoder {
  const fits = constraint(schema)
  const { typeName = 'Int' } = decodeOptions(schema)
  return (value, path) => {
    if (jsonType(value) !== 'Number') throw mismatch(typeName, 'Number', value, path)
    if (!Number.isSafeInteger(value)) {
      const text = isRawNumber(value) ? value.rawJSON : String(value)
      throw failed(`parsing ${typeName} failed, value is either floating or will cause over or underflow ${text}`, path)
    }
    if (!fits(value)) {
      const isNegative = schema.minimum === 0 && (value as number) < 0
      throw failed(isNegative ? 'unexpected negative value' : `${value} is out of range`, path)
    }
    return value
  }
}

function scalarDecoder(
  schema: TSchema,
  name: string,
  expected: 'Number' | 'Boolean',
  /** Null: the value is out of range. */
  read: (value: unknown) => unknown,
): Decoder {
  const fits = constraint(schema)
  const { typeName = name } = decodeOptions(schema)
  return (value, path) => {
    if (jsonType(value) !== expected) throw mismatch(typeName, expected, value, path)
    const result = read(value)
    if (result === null || !fits(result))
      throw failed(`${isRawNumber(value) ? value.rawJSON : value} is out of range`, path)
    return result
  }
}

/** Null if no double holds the number. JSON has no infinity, so it would be stored as null. */
function readDouble(value: unknown): unknown {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value
  return Number.isFinite(number) ? number : null
}

/** TypeBox checks kinds that have no message of their own. */
function constraintDecoder(schema: TSchema): Decoder {
  const check = TypeCompiler.Compile(schema)
  return (value, path) => {
    if (check.Check(value)) return value
    const error = check.Errors(value).First()
    const keys = error?.path.split('/').slice(1) ?? []
    throw badRequest('parse-failed', error?.message ?? 'unexpected value', { path: [...pathKeys(path), ...keys] })
  }
}

const constraints = [
  'pattern',
  'format',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]

/** The constraints of a leaf's schema beyond its type: pattern, format, bounds. */
function constraint(schema: TSchema): (value: unknown) => boolean {
  if (!constraints.some((name) => name in schema)) return () => true
  const check = TypeCompiler.Compile(schema)
  return (value) => check.Check(value)
}
