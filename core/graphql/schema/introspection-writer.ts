// Writes the answer to an introspection as bytes. Lists are in the order of names. Each type of the whole schema is
// written when it is reached, and released; its bytes are put in order at the end.

import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  introspectionTypes,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { Steps } from '../../concurrency/stepwise.ts'
import { validationFailed } from '../../errors/errors.ts'
import { compareText } from '../../names/names.ts'
import { compareNaturally } from '../../names/natural-order.ts'
import { LeanField, LeanInput, type LeanList } from '../read/lean-types.ts'
import { encodedAtOnce, leastValues, membersAtOnce, valuesAtOnce, valuesPerPart } from '../tuning.ts'
import { BytePieces, joined, type Pieces } from './byte-pieces.ts'
import { type IntrospectedField, valueIn } from './introspected-field.ts'
import { ReleasedFields } from './role-schema.ts'
import { type Members, sortedByName, type WholeSchema, type WriteType } from './whole-schema.ts'
import { WrittenTypes } from './written-types.ts'

interface Named {
  readonly name: string
}

const metaTypes = new Set(introspectionTypes.map(({ name }) => name))

const inNaturalOrder = (a: Named, b: Named) => compareNaturally(a.name, b.name)

const isDeprecated = (member: Named): boolean =>
  (member as { readonly deprecationReason?: string | null }).deprecationReason != null

/** Few items in order; most lists of arguments are so already. */
const fewInOrder = (items: readonly Named[]): readonly Named[] =>
  items.every((item, i) => i === 0 || inNaturalOrder(items[i - 1]!, item) <= 0) ? items : items.toSorted(inNaturalOrder)

/** The list of a type that has its members. */
function membersIn(type: GraphQLNamedType): string | null {
  if (isInputObjectType(type)) return 'inputFields'
  if (isEnumType(type)) return 'enumValues'
  return isObjectType(type) ? 'fields' : null
}

/** Whether an answer has the fields of each type once, and none of a type within another. */
function readsOnce({ name, fields }: IntrospectedField): boolean {
  if (name !== '__schema') return false
  const isDirectives = (field: IntrospectedField) =>
    field.name === 'directives' && field.fields!.every(({ isBounded }) => isBounded)
  const others = fields!.filter((field) => !field.isBounded && !isDirectives(field))
  return others.length === 1 && others[0]!.name === 'types' && others[0]!.fields!.every(({ isFlat }) => isFlat)
}

/**
 * The same text in one part. A text that was put together is a tree of its parts, which takes several times the memory and is
 * walked whenever the text is copied. V8 flattens it when a character is read.
 */
function flat(text: string): string {
  text.charCodeAt(0)
  return text
}

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
  readonly #schemaAnew: () => WholeSchema
  #schema: WholeSchema
  /** Writes types that were reached meanwhile, after each part of a root type. */
  #writeType: WriteType | null = null
  /** Whether the enums of introspection itself are sorted, too. */
  readonly #sortsMetaEnums: boolean
  #values = 0
  #most = leastValues
  #text = ''
  #bytes = new BytePieces()
  #paused = 0
  /** Whether fields of types are released when they were written. */
  #releases = false

  constructor(schemaAnew: () => WholeSchema, sortsMetaEnums: boolean) {
    this.#schemaAnew = schemaAnew
    this.#schema = schemaAnew()
    this.#sortsMetaEnums = sortsMetaEnums
  }

  /** Counts the values of an answer that was written before, unless they are more than `most` with the others. */
  admits(values: number, most: number): boolean {
    if (this.#values + values > most) return false
    this.#values += values
    return true
  }

  /** The value of `__schema` or `__type`; refused when the answers become larger than any tool needs. */
  *value(field: IntrospectedField, around: Around): Steps<WrittenAnswer> {
    const before = this.#values
    // Further answers of the same operation share a schema.
    const releases = before === 0 && readsOnce(field)
    try {
      return yield* this.#value(field, around, releases)
    } catch (error) {
      if (!(error instanceof ReleasedFields)) throw error
      // A default value may read the fields of an input object of another type.
      this.#values = before
      this.#paused = before
      return yield* this.#value(field, around, false)
    }
  }

  *#value(field: IntrospectedField, { prefix, suffix }: Around, releases: boolean): Steps<WrittenAnswer> {
    const before = this.#values++
    if (this.#schema.isSpent) this.#schema = this.#schemaAnew()
    this.#releases = releases
    this.#writeType = null
    this.#bytes = new BytePieces()
    this.#text = prefix
    const named = field.name === '__type' ? yield* this.#schema.typeNamed(String(field.arguments['name'])) : null
    if (field.name === '__schema') yield* this.#schemaObject(field)
    else if (named) yield* this.#object(field, named)
    else this.#text += 'null'
    this.#text += suffix
    this.#raise()
    const bytes = yield* joined(this.#written())
    return { bytes, values: this.#values - before, most: this.#most }
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
    yield* this.#schema.completed()
  }

  *#object({ fields }: IntrospectedField, source: unknown): Steps<void> {
    let before = '{'
    for (const field of fields!) {
      this.#text += before + field.key
      before = ','
      if (field.isBounded) this.#text += this.#bounded(field, source)
      else yield* this.#long(field, source)
    }
    this.#text += before === '{' ? '{}' : '}'
    yield* this.#pause()
  }

  *#pause(): Steps<void> {
    if (this.#values > this.#most) yield* this.#admit()
    if (this.#text.length > encodedAtOnce) this.#flush()
    if (this.#values - this.#paused < valuesAtOnce) return
    this.#paused = this.#values
    yield
  }

  *#long(field: IntrospectedField, source: unknown): Steps<void> {
    this.#values++
    if (field.name === 'types') return yield* this.#types(field)
    const parts = field.name === 'fields' ? this.#schema.fieldsInParts(source as GraphQLNamedType) : null
    if (parts) return yield* this.#parts(field, parts)
    const value = field.name === 'possibleTypes' ? yield* this.#possibleTypes(source) : valueIn(field, source)
    if (value === null) this.#text += 'null'
    else if (field.isList) {
      this.#text += '['
      yield* this.#items(field, yield* this.#inOrder(value as readonly Named[], source), true)
      this.#text += ']'
    } else yield* this.#object(field, value)
  }

  /** The types of the schema, each when it is reached, and then in order. */
  *#types(field: IntrospectedField): Steps<void> {
    const before = this.#written()
    const types = new WrittenTypes(this.#bytes)
    const isFlat = field.fields!.every((each) => each.isFlat)
    const write: WriteType = (type, members) => {
      const isSmall = isFlat && members.members.length <= membersAtOnce && this.#isKnown(type)
      return isSmall ? this.#flatType(field, { type, members, types }) : this.#type(field, type, types)
    }
    if (this.#releases) this.#writeType = write
    yield* this.#schema.each(write, this.#releases)
    this.#writeType = null
    this.#bytes.add(before)
    this.#text = '['
    this.#flush()
    for (const pieces of yield* types.inOrder()) this.#bytes.add(pieces)
    this.#text = ']'
  }

  *#type(field: IntrospectedField, type: GraphQLNamedType, types: WrittenTypes): Steps<void> {
    this.#text = ','
    yield* this.#object(field, type)
    types.addPieces(type.name, this.#written())
  }

  /** Whether everything about a type is known: the fields of a root type are not, nor the types of an interface. */
  #isKnown(type: GraphQLNamedType): boolean {
    return !isInterfaceType(type) && !this.#schema.isLargeRoot(type)
  }

  /** Writes a type at once: most of an answer is types with few members. */
  #flatType(
    { fields }: IntrospectedField,
    { type, members, types }: { type: GraphQLNamedType; members: Members; types: WrittenTypes },
  ): Steps<void> | undefined {
    let text = ''
    for (const field of fields!) {
      text += field.opening + (field.isBounded ? this.#bounded(field, type) : this.#flatList(field, type, members))
    }
    types.addText(type.name, text === '' ? '{}' : `${text}}`)
    return this.#values - this.#paused < valuesAtOnce ? undefined : this.#pause()
  }

  #flatList(field: IntrospectedField, type: GraphQLNamedType, members: Members): string {
    this.#values++
    if (field.name !== membersIn(type)) return this.#flatListAnew(field, type, members)
    return this.#listText(field, members, () => this.#flatListAnew(field, type, members))
  }

  #flatListAnew(field: IntrospectedField, type: GraphQLNamedType, members: Members): string {
    const items = this.#flatItems(field, type, members)
    if (items === null) return 'null'
    let text = ''
    for (const item of metaTypes.has(type.name) ? this.#metaInOrder(items, type) : fewInOrder(items)) {
      text += (text === '' ? '[' : ',') + this.#boundedObject(field, item)
    }
    return text === '' ? '[]' : `${text}]`
  }

  /** The items of a list that a type has, in their own order; null: it is not one of the type's lists. */
  #flatItems(field: IntrospectedField, type: GraphQLNamedType, members: Members): readonly Named[] | null {
    if (field.name === membersIn(type)) return this.#shown(field, members.members)
    if (field.name === 'possibleTypes') return isUnionType(type) ? type.getTypes() : null
    return field.name === 'interfaces' && isObjectType(type) ? type.getInterfaces() : null
  }

  /** The fields of a large root type. */
  *#parts(field: IntrospectedField, parts: Iterable<readonly Named[]>): Steps<void> {
    this.#text += '['
    let isFirst = true
    for (const part of parts) {
      const shown = this.#shown(field, part)
      yield* this.#items(field, shown, isFirst)
      isFirst &&= shown.length === 0
      if (!this.#writeType) continue
      const before = this.#written()
      yield* this.#schema.eachReached(this.#writeType)
      this.#bytes.add(before)
    }
    this.#text += ']'
  }

  /** Those of a type's fields that are asked for. */
  #shown(field: IntrospectedField, all: readonly Named[]): readonly Named[] {
    if (field.arguments['includeDeprecated'] === true) return all
    return all.some(isDeprecated) ? all.filter((each) => !isDeprecated(each)) : all
  }

  *#items(field: IntrospectedField, items: readonly unknown[], isFirst: boolean): Steps<void> {
    let before = isFirst ? '' : ','
    const isBounded = field.fields!.every((each) => each.isBounded)
    for (const item of items) {
      this.#text += before
      before = ','
      if (isBounded) {
        this.#text += this.#boundedObject(field, item)
        if (this.#values - this.#paused >= valuesAtOnce) yield* this.#pause()
      } else yield* this.#object(field, item)
    }
  }

  /** The text of a value that is short, or a list of few short objects. */
  #bounded(field: IntrospectedField, source: unknown): string {
    this.#values++
    if (field.leaf) return field.leaf(source)
    if (!(source instanceof LeanField) || field.name !== 'args') return this.#boundedAnew(field, source)
    return this.#listText(field, source.list, () => this.#boundedAnew(field, source))
  }

  /** The text of a list, which is kept if others have the same list. */
  #listText(field: IntrospectedField, list: LeanList<unknown>, write: () => string): string {
    if (!list.isShared) return write()
    if (list.written?.of === field) {
      this.#values += list.written.values
      return list.written.text
    }
    const before = this.#values
    const text = flat(write())
    list.written = { of: field, text, values: this.#values - before }
    return text
  }

  #boundedAnew(field: IntrospectedField, source: unknown): string {
    const value = valueIn(field, source)
    if (value === null) return 'null'
    // The wrappers around a type are parts of one text.
    if (field.name === 'ofType') return this.#boundedObject(field, value)
    if (!field.isList) return this.#typeText(field, value)
    let text = '['
    for (const item of fewInOrder(value as readonly Named[])) {
      text += (text === '[' ? '' : ',') + this.#boundedObject(field, item)
    }
    return `${text}]`
  }

  #boundedObject({ fields, plain }: IntrospectedField, source: unknown): string {
    let text = ''
    if (plain && (source instanceof LeanField || source instanceof LeanInput) && source.isPlain) {
      // The fields between the parts count themselves.
      this.#values += fields!.length - (plain.length >> 1)
      for (const part of plain) text += typeof part === 'string' ? part : this.#bounded(part, source)
      return text
    }
    for (const field of fields!) text += field.opening + this.#bounded(field, source)
    return text === '' ? '{}' : `${text}}`
  }

  /** The text of a type that is referred to. */
  #typeText(field: IntrospectedField, type: unknown): string {
    const reference = field.references?.of(type, (like) => {
      const before = this.#values
      const text = this.#boundedObject(field, like)
      const values = this.#values - before
      this.#values = before
      return { text, values }
    })
    if (!reference) return this.#boundedObject(field, type)
    this.#values += reference.template.values
    return reference.template.textFor(reference.name)
  }

  *#possibleTypes(source: unknown): Steps<readonly Named[] | null> {
    if (isUnionType(source)) return source.getTypes()
    if (!isInterfaceType(source)) return null
    const { implementations } = yield* this.#schema.completed()
    return implementations.get((source as GraphQLInterfaceType).name) ?? []
  }

  *#inOrder(items: readonly Named[], source: unknown): Steps<readonly Named[]> {
    if (metaTypes.has((source as Named).name)) return this.#metaInOrder(items, source)
    return yield* sortedByName(items)
  }

  #metaInOrder(items: readonly Named[], source: unknown): readonly Named[] {
    if (!isEnumType(source) || !this.#sortsMetaEnums) return items
    return items.toSorted((a, b) => compareText(a.name, b.name))
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
    if (this.#text !== '') this.#bytes.write(this.#text)
    this.#text = ''
  }

  /** All that was written since the last call. */
  #written(): Pieces {
    this.#flush()
    return this.#bytes.take()
  }
}
