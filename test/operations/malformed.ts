// Arguments malformed in every way that the API's description excludes: a missing key, a value of another kind, and
// unknown keys.

import { isDeepStrictEqual } from 'node:util'
import type { ValidateFunction } from 'ajv'
import type { PathKey } from '../../core/errors/path.ts'
import type { JsonSchema } from '../../plugins/openapi/json-schema.ts'

/** Malformed arguments, with the path of the fault. */
export interface Malformed {
  readonly what: string
  readonly args: unknown
  readonly path: readonly PathKey[]
  /** The missing key. */
  readonly missing?: string
}

const strange = 'no such key'
const strangeKey = 'a strange key'

/** An operation's shape in the API's description. */
export class OperationShape {
  /** Whether arguments match the schema. */
  readonly fits: (args: unknown) => boolean
  /** The fault of an answer; null if it matches. */
  readonly answerFault: (body: unknown) => string | null
  readonly #args: JsonSchema
  readonly #components: JsonSchema

  constructor(
    args: JsonSchema,
    components: JsonSchema,
    validators: { readonly args: ValidateFunction; readonly result: ValidateFunction },
  ) {
    this.#args = args
    this.#components = components
    this.fits = (value) => validators.args(value)
    this.answerFault = (body) => (validators.result(body) ? null : JSON.stringify(validators.result.errors))
  }

  /** The keys that arguments of this form must have. */
  requiredOf(args: unknown): readonly string[] {
    return this.#branch(this.#args, args).required ?? []
  }

  /** All malformed variants of a valid request. */
  malformed(args: unknown): Malformed[] {
    return [...this.#spoilt(args, this.#args, [], (spoilt) => spoilt)].filter((each) => !this.fits(each.args))
  }

  /** The arguments with an unknown key, in one object at a time. */
  withOneStrangeKey(args: unknown): Malformed[] {
    return this.malformed(args).filter(({ what }) => what.startsWith(strangeKey))
  }

  *#spoilt(
    value: unknown,
    schema: JsonSchema,
    path: readonly PathKey[],
    within: (value: unknown) => unknown,
  ): Generator<Malformed> {
    for (const other of [null, true, 7, 'text', [], {}]) {
      if (isDeepStrictEqual(other, value)) continue
      yield { what: `${JSON.stringify(other)} at ${path.join('.') || '$'}`, args: within(other), path }
    }
    const { properties = {}, required = [], items, additionalProperties } = this.#branch(schema, value)
    if (Array.isArray(value) && items && value.length > 0) {
      yield* this.#spoilt(value[0], items, [...path, 0], (first) => within([first, ...value.slice(1)]))
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const object = value as Readonly<Record<string, unknown>>
    for (const key of required) {
      const { [key]: _, ...rest } = object
      yield { what: `without ${[...path, key].join('.')}`, args: within(rest), path, missing: key }
    }
    if (additionalProperties === false) {
      yield { what: `${strangeKey} in ${path.join('.') || '$'}`, args: within({ ...object, [strange]: 1 }), path }
    }
    for (const [key, member] of Object.entries(object)) {
      const property = properties[key]
      if (property) yield* this.#spoilt(member, property, [...path, key], (each) => within({ ...object, [key]: each }))
    }
  }

  /** The arguments with an unknown key in each object that ignores unknown keys. */
  withStrangeKeys(args: unknown): unknown {
    return this.#estranged(args, this.#args)
  }

  #estranged(value: unknown, schema: JsonSchema): unknown {
    const { properties, items, additionalProperties } = this.#branch(schema, value)
    if (Array.isArray(value)) return items ? value.map((each) => this.#estranged(each, items)) : value
    if (typeof value !== 'object' || value === null || !properties) return value
    const entries = Object.entries(value).map(([key, each]) => [
      key,
      properties[key] ? this.#estranged(each, properties[key]) : each,
    ])
    return { ...Object.fromEntries(entries), ...(additionalProperties === undefined && { [strange]: 1 }) }
  }

  /** The schema without references and alternatives: the first alternative that matches the kind of the value. */
  #branch(schema: JsonSchema, value: unknown): ShapeKeywords {
    const { $ref, oneOf, anyOf = oneOf } = schema as Alternatives
    if ($ref !== undefined) return this.#branch(this.#components[$ref.split('/').at(-1)!] as JsonSchema, value)
    if (!anyOf) return schema as ShapeKeywords
    const branches = anyOf.map((each) => this.#branch(each, value))
    return branches.find((each) => isMeant(each, value)) ?? {}
  }
}

interface Alternatives {
  readonly $ref?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

interface ShapeKeywords {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: unknown
}

function isMeant({ type, required = [], properties = {} }: ShapeKeywords, value: unknown): boolean {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const types = type === undefined ? [kind] : [type].flat()
  if (!types.includes(kind)) return false
  if (kind !== 'object') return true
  const object = value as Readonly<Record<string, unknown>>
  if (!required.every((key) => Object.hasOwn(object, key))) return false
  // The constants in requests distinguish the alternatives.
  return Object.entries(properties).every(([key, { const: constant = object[key] }]) => constant === object[key])
}
