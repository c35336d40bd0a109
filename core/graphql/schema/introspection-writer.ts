// Writes the answer to an introspection as bytes. The values come from graphql-js's own resolvers of its introspection
// types; lists are in the order of names.

import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNamedType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { Steps } from '../../concurrency/stepwise.ts'
import { validationFailed } from '../../errors/errors.ts'
import { compareText } from '../../names/names.ts'
import type { Arguments, BoundArguments } from '../read/arguments.ts'
import type { FieldSelection } from '../read/selection.ts'
import { leastValues, valuesPerPart } from '../tuning.ts'
import { sortedByName, type WholeSchema } from './whole-schema.ts'

/** A selected field of an introspection type. */
export interface IntrospectedField {
  readonly name: string
  /** The name in the answer as JSON, and the colon. */
  readonly key: string
  readonly definition: GraphQLField<unknown, unknown> | null
  readonly parentType: string
  readonly arguments: Arguments
  /** Null for scalars and enums. */
  readonly fields: readonly IntrospectedField[] | null
  readonly isList: boolean
  /** Whether its value has no lists of objects, so that it is short. */
  readonly isShort: boolean
  /** Texts of short values, by type. */
  readonly known: Map<unknown, Written>
}

interface Written {
  readonly text: string
  readonly values: number
}

/** A selected field with everything below it. */
export function introspectedField(field: FieldSelection, argumentsOf: BoundArguments): IntrospectedField {
  const { definition, name, parentType } = field
  const type = definition && getNamedType(definition.type)
  const isList = definition !== null && isListType(getNullableType(definition.type))
  const fields = isObjectType(type) ? field.fieldsOf(type).map((each) => introspectedField(each, argumentsOf)) : null
  return {
    ...{ name, definition, parentType, fields, isList },
    key: `${JSON.stringify(field.responseName)}:`,
    arguments: argumentsOf(field),
    isShort: fields === null || (!isList && fields.every(({ isShort }) => isShort)),
    known: new Map(),
  }
}

/** The field's name, arguments and selections as a text; equal texts have equal values. */
export function selectionText({ name, fields, arguments: given }: IntrospectedField): string {
  const below = fields ? `{${fields.map((field) => field.key + selectionText(field)).join(' ')}}` : ''
  return `${name}${JSON.stringify(given)}${below}`
}

/** Characters that are turned into bytes at once. */
const chunkSize = 65_536

/** Values that are written between two pauses: some tens of microseconds. */
const valuesAtOnce = 256

/** Writes answers about one schema, and counts their values. */
export class IntrospectionWriter {
  readonly #schema: WholeSchema
  /** Whether the enums of introspection itself are sorted, too. */
  readonly #sortsMetaEnums: boolean
  #values = 0
  #most = leastValues
  #text = ''
  #chunks: Buffer[] = []
  #paused = 0

  constructor(schema: WholeSchema, sortsMetaEnums: boolean) {
    this.#schema = schema
    this.#sortsMetaEnums = sortsMetaEnums
  }

  /** Counts the values of an answer that was written before, unless they are more than `most` with the others. */
  admits(values: number, most: number): boolean {
    if (this.#values + values > most) return false
    this.#values += values
    return true
  }

  /** The value of `__schema` or `__type`; refused when the answers become larger than any tool needs. */
  *value(field: IntrospectedField): Steps<{ readonly bytes: Buffer; readonly values: number; readonly most: number }> {
    const before = this.#values++
    this.#chunks = []
    this.#text = ''
    const named = field.name === '__type' ? yield* this.#schema.typeNamed(String(field.arguments['name'])) : null
    if (field.name === '__schema') yield* this.#schemaObject(field)
    else if (named) yield* this.#object(field, named)
    else this.#text += 'null'
    this.#flush()
    this.#raise()
    return { bytes: Buffer.concat(this.#chunks), values: this.#values - before, most: this.#most }
  }

  *#schemaObject(field: IntrospectedField): Steps<void> {
    const { byName } = yield* this.#schema.completed()
    const { query, mutation, subscription } = yield* this.#schema.roots()
    // The parts of a schema that the resolvers read.
    const schema: Partial<GraphQLSchema> = {
      description: undefined,
      getTypeMap: () => Object.fromEntries(byName),
      getQueryType: () => query,
      getMutationType: () => mutation,
      getSubscriptionType: () => subscription,
      getDirectives: () => this.#schema.directives,
    }
    yield* this.#object(field, schema)
  }

  *#object({ fields }: IntrospectedField, source: unknown): Steps<void> {
    let before = '{'
    for (const field of fields!) {
      this.#text += before + field.key
      before = ','
      if (field.isShort) this.#text += this.#short(field, source)
      else yield* this.#long(field, source)
    }
    this.#text += before === '{' ? '{}' : '}'
    if (this.#values > this.#most) yield* this.#admit()
    if (this.#text.length > chunkSize) this.#flush()
    if (this.#values - this.#paused < valuesAtOnce) return
    this.#paused = this.#values
    yield
  }

  *#long(field: IntrospectedField, source: unknown): Steps<void> {
    this.#values++
    const value = field.name === 'possibleTypes' ? yield* this.#possibleTypes(source) : valueIn(field, source)
    if (value === null) this.#text += 'null'
    else if (field.isList) {
      const items = yield* this.#inOrder(value as readonly Named[], source)
      this.#text += '['
      for (const [i, item] of items.entries()) {
        if (i > 0) this.#text += ','
        yield* this.#object(field, item)
      }
      this.#text += ']'
    } else yield* this.#object(field, value)
  }

  /** The text of a value without lists of objects. Types are referred to often, and are written once. */
  #short(field: IntrospectedField, source: unknown): string {
    this.#values++
    const value = valueIn(field, source)
    if (value === null || !field.fields)
      return JSON.stringify(Array.isArray(value) ? value.toSorted(compareText) : value)
    const known = field.known.get(value)
    if (known) {
      this.#values += known.values
      return known.text
    }
    const before = this.#values
    const text = `{${field.fields.map((each) => each.key + this.#short(each, value)).join(',')}}`
    if (isNamedType(value)) field.known.set(value, { text, values: this.#values - before })
    return text
  }

  *#possibleTypes(source: unknown): Steps<readonly Named[] | null> {
    if (isUnionType(source)) return source.getTypes()
    if (!isInterfaceType(source)) return null
    const { implementations } = yield* this.#schema.completed()
    return implementations.get((source as GraphQLInterfaceType).name) ?? []
  }

  *#inOrder(items: readonly Named[], source: unknown): Steps<readonly Named[]> {
    if (isNamedType(source) && isIntrospectionType(source)) {
      if (!isEnumType(source) || !this.#sortsMetaEnums) return items
      return items.toSorted((a, b) => compareText(a.name, b.name))
    }
    return yield* sortedByName(items)
  }

  /** Raises the limit to that of the whole schema; refuses the answer if that is not enough. */
  *#admit(): Steps<void> {
    this.#raise()
    if (this.#values <= this.#most) return
    yield* this.#schema.completed()
    this.#raise()
    if (this.#values > this.#most) throw validationFailed('the introspection is too large')
  }

  #raise(): void {
    this.#most = Math.max(leastValues, valuesPerPart * this.#schema.parts)
  }

  #flush(): void {
    this.#chunks.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

interface Named {
  readonly name: string
}

/** The arguments of the resolvers of introspection, apart from those of the field. */
const noInfo = {} as GraphQLResolveInfo

function valueIn({ definition, arguments: given, parentType }: IntrospectedField, source: unknown): unknown {
  if (!definition) return parentType
  return definition.resolve!(source, given, undefined, noInfo) ?? null
}
