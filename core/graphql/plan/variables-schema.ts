// The JSON Schema of an operation's variables, from the role's schema itself, so that it needs no introspection.

import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  specifiedScalarTypes,
  type TypeNode,
} from 'graphql'
import type { GraphQLOperation } from '../read/document.ts'
import { literalJson } from '../read/literals.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { codecOf } from '../read/scalar-codecs.ts'
import { typesDescribed } from '../tuning.ts'
import { variableTypesOf } from './validate.ts'

/** A JSON Schema of the draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The schema of the variables as one object. Refuses an operation that the role cannot use. */
export function variablesSchema(schema: PlannedSchema, operation: GraphQLOperation): JsonSchema {
  const types = variableTypesOf(schema, operation)
  const definitions = new Definitions()
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const [name, { type, defaultValue }] of operation.variables) {
    const described = definitions.ofNode(type, named(types.get(name), type))
    properties[name] = defaultValue ? { ...described, default: literalJson(defaultValue, () => null) } : described
    if (type.kind === Kind.NON_NULL_TYPE && !defaultValue) required.push(name)
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...definitions.member,
  }
}

/** The type that a variable is used as, or a scalar of GraphQL for one that is not used. */
function named(used: GraphQLInputType | undefined, node: TypeNode): GraphQLNamedInputType | null {
  if (used) return getNamedType(used)
  let inner = node
  while (inner.kind !== Kind.NAMED_TYPE) inner = inner.type
  return specifiedScalarTypes.find(({ name }) => name === inner.name.value) ?? null
}

/** Collects input types and enums by name. */
class Definitions {
  readonly #defined = new Map<string, JsonSchema>()
  readonly #waiting: GraphQLInputObjectType[] = []

  /** The member `$defs`, with all types that the described ones lead to. */
  get member(): { readonly $defs?: JsonSchema } {
    for (let type = this.#waiting.shift(); type; type = this.#waiting.shift()) {
      this.#defined.set(type.name, this.#ofObject(type))
    }
    return this.#defined.size === 0 ? {} : { $defs: Object.fromEntries(this.#defined) }
  }

  ofNode(node: TypeNode, type: GraphQLNamedInputType | null): JsonSchema {
    if (node.kind === Kind.NON_NULL_TYPE) return this.#present(node.type, type)
    return orNull(this.#present(node, type))
  }

  #present(node: Exclude<TypeNode, { kind: Kind.NON_NULL_TYPE }>, type: GraphQLNamedInputType | null): JsonSchema {
    if (node.kind === Kind.LIST_TYPE) return { type: 'array', items: this.ofNode(node.type, type) }
    return type ? this.#ofNamed(type) : {}
  }

  #of(type: GraphQLInputType): JsonSchema {
    return isNonNullType(type) ? this.#ofNullable(type.ofType) : orNull(this.#ofNullable(type))
  }

  #ofNullable(type: GraphQLInputType): JsonSchema {
    if (isListType(type)) return { type: 'array', items: this.#of(type.ofType) }
    return this.#ofNamed(getNamedType(type))
  }

  #ofNamed(type: GraphQLNamedInputType): JsonSchema {
    if (isEnumType(type)) return this.#reference(type, () => enumSchema(type))
    if (!isInputObjectType(type)) return scalarSchema(type)
    return this.#reference(type, () => {
      this.#waiting.push(type)
      return {}
    })
  }

  /** Beyond the limit, types are named but not described. */
  #reference(type: GraphQLEnumType | GraphQLInputObjectType, define: () => JsonSchema): JsonSchema {
    const { name } = type
    if (!this.#defined.has(name)) {
      if (this.#defined.size >= typesDescribed) return { description: `a value of the GraphQL type ${name}` }
      this.#defined.set(name, define())
    }
    return { $ref: `#/$defs/${name}` }
  }

  #ofObject(type: GraphQLInputObjectType): JsonSchema {
    const fields = Object.values(type.getFields())
    const properties = fields.map((field) => {
      const { value, literal } = field.default ?? {}
      const given = literal ? literalJson(literal, () => null) : value
      const described = { ...this.#of(field.type), ...textOf(field.description) }
      return [field.name, given === undefined ? described : { ...described, default: given }]
    })
    const required = fields.filter(isRequiredInputField).map(({ name }) => name)
    return {
      type: 'object',
      ...textOf(type.description),
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    }
  }
}

const textOf = (description: string | null | undefined) => (description ? { description } : {})

const enumSchema = (type: GraphQLEnumType): JsonSchema => ({
  ...textOf(type.description),
  enum: type.getValues().map(({ name }) => name),
})

/** Allows null as well. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (typeof type === 'string' || Array.isArray(type)) return { ...schema, type: [type, 'null'].flat() }
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** Values by which a codec shows the kinds of JSON that it takes; a kind may have several forms. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  integer: [1],
  number: [1.5],
  string: ['1', 'a', '2000-01-01', '00000000-0000-0000-0000-000000000000'],
  boolean: [true],
  object: [{}],
  array: [[]],
}

/** The schema of a scalar, by the kinds that its codec takes. */
function scalarSchema(type: GraphQLNamedInputType): JsonSchema {
  const codec = codecOf(type)
  const title = { title: type.name }
  if (!codec) return title
  const takes = (value: unknown): boolean => {
    try {
      codec.encode(value)
      return true
    } catch {
      return false
    }
  }
  const kinds = Object.keys(samples).filter((kind) => samples[kind]!.some(takes))
  // Some scalars take forms that no sample has, and those of JSON take all.
  if (kinds.length === 0 || kinds.length === Object.keys(samples).length) return title
  const shown = kinds.includes('number') ? kinds.filter((kind) => kind !== 'integer') : kinds
  return { ...title, type: shown.length === 1 ? shown[0] : shown }
}
