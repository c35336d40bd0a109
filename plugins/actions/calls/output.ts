// Checks a handler's answer against the type of its action.

import { type Dialect, type Settings, TrellisError } from '../../../sdk/index.ts'
import { isDeeper, isJsonObject, isRawNumber, jsonType, type Steps } from '../../../sdk/services.ts'
import type { ModelField, NamedType, ResolvedType } from '../../custom-types/index.ts'
import { itemsPerStep, maxDepth } from '../tuning.ts'

/** The error of an invalid answer; the caller adds details. */
const refusal = (message: string, code = 'unexpected') => new TrellisError(400, code, message)

export interface OutputRules {
  /** Whether scalars are not checked, as in v1.3. */
  readonly isLenient: boolean
  /** Whether answers are read as in version 2: other fields are passed over, and null and scalars are named. */
  readonly isVersion2: boolean
}

/** The rules of a dialect and an interface. */
export const outputRules = (
  { lenientSchema }: Pick<Dialect, 'lenientSchema'>,
  { graphqlInterface }: Pick<Settings, 'graphqlInterface'>,
): OutputRules => ({ isLenient: lenientSchema, isVersion2: graphqlInterface === '2' })

/**
 * The answer as a value of the type, by GraphQL's result coercion, so that fields and relationships see the same value; refuses other
 * values. Nullable members may be absent. Containers are changed in place.
 */
export const coerceOutput = (value: unknown, type: ResolvedType, rules: OutputRules): Steps<unknown> =>
  new Coercion(rules).answer(value, type)

/** The coercion of one answer. */
class Coercion {
  readonly #rules: OutputRules
  readonly #names = new Map<readonly ModelField[], ReadonlySet<string>>()
  #items = 0

  constructor(rules: OutputRules) {
    this.#rules = rules
  }

  *answer(value: unknown, type: ResolvedType): Steps<unknown> {
    const given = jsonType(value)
    if (given === 'Null') {
      if (type.isNullable) return null
      throw noContainer(given, this.#rules)
    }
    if (type.kind === 'list') {
      if (!Array.isArray(value)) throw wrongContainer('array', given, this.#rules)
      for (const i of value.keys()) {
        value[i] = yield* this.answer(value[i], type.of)
        if (this.#isStep()) yield
      }
      return value
    }
    if (type.of.kind !== 'object') {
      return coerceLeaf(value, type.of, this.#rules, (expected) =>
        refusal(`got ${given} for the action webhook response, expecting ${expected}`),
      )
    }
    if (given !== 'Object') throw wrongContainer('object', given, this.#rules)
    return yield* this.#object(value as Readonly<Record<string, unknown>>, type.of.object.fields)
  }

  *#object(object: Readonly<Record<string, unknown>>, fields: readonly ModelField[]): Steps<unknown> {
    if (!this.#rules.isVersion2) this.#refuseOthers(object, fields)
    for (const { name, type } of fields) {
      if (!Object.hasOwn(object, name)) {
        if (!type.isNullable) throw refusal(`field "${name}" expected in webhook response, but not found`)
        continue
      }
      const given = object[name]
      const value = isLeaf(type) ? this.#leaf(given, type, name) : yield* this.#container(given, type, name)
      // A member may be called `__proto__`.
      if (value !== given) Object.defineProperty(object, name, { value })
    }
    return object
  }

  #leaf(value: unknown, type: LeafType, name: string): unknown {
    if (isNull(value, type, name)) return null
    return coerceLeaf(value, type.of, this.#rules, (expected) => mismatch(expected, value, name))
  }

  *#container(value: unknown, type: ResolvedType, name: string): Steps<unknown> {
    if (isNull(value, type, name)) return null
    if (type.kind === 'list') {
      if (!Array.isArray(value)) throw mismatch('array', value, name)
      const { of } = type
      for (const i of value.keys()) {
        value[i] = isLeaf(of) ? this.#leaf(value[i], of, name) : yield* this.#container(value[i], of, name)
        if (this.#isStep()) yield
      }
      return value
    }
    if (type.of.kind !== 'object' || !isJsonObject(value)) throw mismatch('object', value, name)
    return yield* this.#object(value, type.of.object.fields)
  }

  #isStep(): boolean {
    return ++this.#items % itemsPerStep === 0
  }

  #refuseOthers(object: object, fields: readonly ModelField[]): void {
    let names = this.#names.get(fields)
    if (!names) {
      names = new Set(fields.map(({ name }) => name))
      this.#names.set(fields, names)
    }
    const unexpected = Object.keys(object).filter((name) => !names.has(name))
    if (unexpected.length > 0) throw refusal(`unexpected fields in webhook response: ${unexpected.sort().join(', ')}`)
  }
}

type LeafType = Extract<ResolvedType, { readonly kind: 'named' }>

/** Whether the type is that of a scalar or an enum. */
const isLeaf = (type: ResolvedType): type is LeafType => type.kind === 'named' && type.of.kind !== 'object'

function isNull(value: unknown, type: ResolvedType, name: string): boolean {
  if (jsonType(value) !== 'Null') return false
  if (!type.isNullable) throw refusal(`expecting not null value for field "${name}"`)
  return true
}

const mismatch = (expected: string, value: unknown, name: string): TrellisError =>
  refusal(`expecting ${expected} for field "${name}" in webhook response, but got ${jsonType(value)}`)

function wrongContainer(expected: 'array' | 'object', given: string, rules: OutputRules): TrellisError {
  if (given === 'Array' || given === 'Object') {
    return refusal(`expecting ${expected} for action webhook response but got ${given.toLowerCase()}`)
  }
  return noContainer(given, rules)
}

/** The error for null or a scalar where an object or a list is expected. */
function noContainer(given: string, { isVersion2 }: OutputRules): TrellisError {
  if (!isVersion2) return refusal('expecting object or array of objects for action webhook response', 'parse-failed')
  return refusal(`got ${given === 'Null' ? 'null' : `scalar ${given}`} for the action webhook response`)
}

/** Numbers that JavaScript would print differently, such as `1.0`, keep their text. */
const numberOf = (value: unknown): unknown =>
  jsonType(value) === 'Number' ? Number(isRawNumber(value) ? value.rawJSON : value) : value

const isWhole = (value: unknown): boolean => Number.isInteger(numberOf(value))

/** Whether it fits 32 bits, as GraphQL's `Int` must. */
const isInteger = (value: unknown): boolean => isWhole(value) && numberOf(value) === (Number(numberOf(value)) | 0)

/** All digits of a whole number. */
function digitsOf(value: unknown): string {
  const text = isRawNumber(value) ? value.rawJSON : String(value)
  return /^-?\d+$/.test(text) ? text : String(BigInt(Number(text)))
}

/** Coerces values of built-in scalars; undefined: the value is invalid. */
const standard: Readonly<Record<string, (value: unknown) => unknown>> = {
  Int: (value) => (isInteger(value) ? numberOf(value) : undefined),
  Float: (value) => (jsonType(value) === 'Number' ? value : undefined),
  String: (value) => (typeof value === 'string' ? value : undefined),
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  ID: (value) => (isWhole(value) ? digitsOf(value) : typeof value === 'string' ? value : undefined),
}

/** The value of a scalar or enum; `refused` makes the error for an invalid one. */
function coerceLeaf(
  value: unknown,
  type: NamedType,
  { isLenient }: OutputRules,
  refused: (expected: string) => TrellisError,
): unknown {
  if (isDeeper(value, maxDepth)) throw refused('a value of less depth')
  const isLeft = isLenient && !(typeof value === 'object' && jsonType(value) !== 'Number')
  if (type.kind === 'builtIn') {
    // IDs are not checked either.
    if (isLeft && type.name !== 'Int') return value
    const coerced = standard[type.name]?.(value)
    if (coerced !== undefined) return coerced
    if (isLeft) return value
    throw refused(type.name)
  }
  if (isLeft || type.kind !== 'enum') return value
  const { name, values } = type.enumeration
  if (values.some((each) => each.value === value)) return value
  throw refused(`a value of ${name}`)
}
