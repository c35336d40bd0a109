// Writes the answer to an introspection as bytes. Lists are in the order of names. Each type of the whole schema is
// written when it is reached, and released; its bytes are put in order at the end.

import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isUnionType,
} from 'graphql'
import type { Steps } from '../../concurrency/stepwise.ts'
import { validationFailed } from '../../errors/errors.ts'
import { leastValues, membersAtOnce, valuesAtOnce, valuesPerPart } from '../tuning.ts'
import { ByteText } from './byte-text.ts'
import { type IntrospectedField, nothing, valueIn } from './introspected-field.ts'
import type { Members } from './members.ts'
import { type Named, sortedByName } from './sorted-by-name.ts'
import { closeBracket, comma, metaTypes, openBracket, ValueWriter } from './value-writer.ts'
import type { WholeSchema, WriteType } from './whole-schema.ts'
import { WrittenTypes } from './written-types.ts'

/** An answer with the number of its values, and the most that the operation may have. */
interface WrittenAnswer {
  readonly bytes: Buffer
  readonly values: number
  readonly most: number
}

/** The text around a value in the answer. */
export interface Around {
  readonly prefix: string
  readonly suffix: string
}

/** Writes answers about one schema, and counts their values. */
export class IntrospectionWriter {
  readonly #schema: WholeSchema
  /** Writes types that were reached meanwhile, after each part of a root type. */
  #writeType: WriteType | null = null
  readonly #to: ValueWriter
  #most = leastValues
  #paused = 0
  /** Whether names of types were compared when they were put in order. */
  #isUnambiguous = false

  /** `sortsMetaEnums`: whether the enums of introspection itself are sorted, too. */
  constructor(schema: WholeSchema, sortsMetaEnums: boolean) {
    this.#schema = schema
    this.#to = new ValueWriter(sortsMetaEnums)
  }

  /** The number of values that were written. */
  get values(): number {
    return this.#to.values
  }

  /** Drops an answer that is not written to its end. */
  drop(): void {
    this.#to.out.drop()
  }

  /** Counts the values of an answer that was written before, unless they are more than `most` with the others. */
  admits(values: number, most: number): boolean {
    if (this.#to.values + values > most) return false
    this.#to.values += values
    return true
  }

  /** The value of `__schema` or `__type`; refused when the answers become larger than any tool needs. */
  *value(field: IntrospectedField, { prefix, suffix }: Around): Steps<WrittenAnswer> {
    const before = this.#to.values++
    this.#isUnambiguous = false
    this.#writeType = null
    this.#to.out = new ByteText()
    this.#to.out.text(prefix)
    const named = field.name === '__type' ? yield* this.#schema.typeNamed(String(field.arguments['name'])) : null
    if (field.name === '__schema') yield* this.#schemaObject(field)
    else if (named) yield* this.#object(field, named)
    else this.#to.out.bytes(nothing)
    this.#to.out.text(suffix)
    this.#raise()
    const bytes = yield* this.#to.out.joined()
    return { bytes, values: this.#to.values - before, most: this.#most }
  }

  *#schemaObject(field: IntrospectedField): Steps<void> {
    if (this.#schema.mayRepeatRows) yield* this.#schema.completed()
    const { query, mutation, subscription } = yield* this.#schema.roots()
    // The parts of a schema that the resolvers read.
    const schema: Partial<GraphQLSchema> = {
      description: undefined,
      getQueryType: () => query,
      getMutationType: () => mutation,
      getSubscriptionType: () => subscription,
      getDirectives: () => this.#schema.directives,
    }
    yield* this.#object(field, schema)
    // A schema with two types of one name is refused by each introspection.
    if (!this.#isUnambiguous) yield* this.#schema.unambiguous()
  }

  *#object({ fields }: IntrospectedField, source: unknown): Steps<void> {
    for (const field of fields!) {
      this.#to.out.bytes(field.opening)
      if (field.isBounded) this.#to.bounded(field, source)
      else yield* this.#long(field, source)
    }
    this.#to.endObject(fields!)
    yield* this.#pause()
  }

  *#pause(): Steps<void> {
    if (this.#to.values > this.#most) yield* this.#admit()
    if (this.#to.values - this.#paused < valuesAtOnce) return
    this.#paused = this.#to.values
    yield
  }

  *#long(field: IntrospectedField, source: unknown): Steps<void> {
    this.#to.values++
    if (field.name === 'types') return yield* this.#types(field)
    const parts = field.name === 'fields' ? this.#schema.fieldsInParts(source as GraphQLNamedType) : null
    if (parts) return yield* this.#parts(field, parts)
    const value = field.name === 'possibleTypes' ? yield* this.#possibleTypes(source) : valueIn(field, source)
    if (value === null) this.#to.out.bytes(nothing)
    else if (field.isList) {
      this.#to.out.byte(openBracket)
      yield* this.#items(field, yield* this.#inOrder(value as readonly Named[], source), true)
      this.#to.out.byte(closeBracket)
    } else yield* this.#object(field, value)
  }

  /** The types of the schema, each when it is reached, and then in order. */
  *#types(field: IntrospectedField): Steps<void> {
    const before = this.#to.out.take()
    const types = new WrittenTypes(this.#to.out)
    const isFlat = field.fields!.every((each) => each.isFlat)
    const write: WriteType = (type, members) => {
      const isSmall = isFlat && members.members.length <= membersAtOnce && this.#isKnown(type)
      return isSmall ? this.#flatType(field, { type, members, types }) : this.#type(field, type, types)
    }
    this.#writeType = write
    yield* this.#schema.each(write)
    this.#writeType = null
    this.#to.out.add(before)
    this.#to.out.byte(openBracket)
    this.#isUnambiguous = yield* types.addInOrder()
    this.#to.out.byte(closeBracket)
  }

  *#type(field: IntrospectedField, type: GraphQLNamedType, types: WrittenTypes): Steps<void> {
    this.#to.out.byte(comma)
    yield* this.#object(field, type)
    types.add(type.name)
  }

  /** Writes a type at once: most of an answer is types with few members. */
  #flatType(
    field: IntrospectedField,
    { type, members, types }: { type: GraphQLNamedType; members: Members; types: WrittenTypes },
  ): Steps<void> | undefined {
    this.#to.out.byte(comma)
    this.#to.flatType(field, type, members)
    types.add(type.name)
    return this.#to.values - this.#paused < valuesAtOnce ? undefined : this.#pause()
  }

  /** Whether everything about a type is known: the fields of a root type are not, nor the types of an interface. */
  #isKnown(type: GraphQLNamedType): boolean {
    return !isInterfaceType(type) && !this.#schema.isLargeRoot(type)
  }

  /** The fields of a large root type. */
  *#parts(field: IntrospectedField, parts: Iterable<readonly Named[]>): Steps<void> {
    this.#to.out.byte(openBracket)
    let isFirst = true
    for (const part of parts) {
      const shown = this.#to.shown(field, part)
      yield* this.#items(field, shown, isFirst)
      isFirst &&= shown.length === 0
      if (!this.#writeType) continue
      const before = this.#to.out.take()
      yield* this.#schema.eachReached(this.#writeType)
      this.#to.out.add(before)
    }
    this.#to.out.byte(closeBracket)
  }

  *#items(field: IntrospectedField, items: readonly unknown[], isFirst: boolean): Steps<void> {
    let needsComma = !isFirst
    const isBounded = field.fields!.every((each) => each.isBounded)
    for (const item of items) {
      if (needsComma) this.#to.out.byte(comma)
      needsComma = true
      if (isBounded) {
        this.#to.boundedObject(field, item)
        if (this.#to.values - this.#paused >= valuesAtOnce) yield* this.#pause()
      } else yield* this.#object(field, item)
    }
  }

  *#possibleTypes(source: unknown): Steps<readonly Named[] | null> {
    if (isUnionType(source)) return source.getTypes()
    if (!isInterfaceType(source)) return null
    const { implementations } = yield* this.#schema.completed()
    return implementations.get((source as GraphQLInterfaceType).name) ?? []
  }

  *#inOrder(items: readonly Named[], source: unknown): Steps<readonly Named[]> {
    if (metaTypes.has((source as Named).name)) return this.#to.metaInOrder(items, source)
    return yield* sortedByName(items)
  }

  /** Raises the limit to that of the whole schema; refuses the answer if that is not enough. */
  *#admit(): Steps<void> {
    this.#raise()
    if (this.#to.values <= this.#most) return
    yield* this.#schema.completed()
    this.#raise()
    if (this.#to.values > this.#most) throw validationFailed('the introspection is too large')
  }

  #raise(): void {
    this.#most = Math.max(leastValues, valuesPerPart * this.#schema.parts)
  }
}
