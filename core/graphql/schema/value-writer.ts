// Writes those values of an introspection that are short, and types with few members: at once, without a pause.

import {
  type GraphQLNamedType,
  introspectionTypes,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { compareText } from '../../names/names.ts'
import { LeanField, LeanInput, type LeanList } from '../read/lean-members.ts'
import { TableInputType, TableObjectType } from '../read/table-types.ts'
import { ByteText } from './byte-text.ts'
import {
  type Described,
  type Frame,
  type Frames,
  type IntrospectedField,
  nothing,
  valueIn,
} from './introspected-field.ts'
import type { Members } from './members.ts'
import type { Piece } from './pieces.ts'
import { fewByName, type Named } from './sorted-by-name.ts'

/** Characters between values. */
export const [comma, openBracket, closeBracket, openBrace, closeBrace] = [44, 91, 93, 123, 125] as const

/** The names of the types of introspection. */
export const metaTypes = new Set(introspectionTypes.map(({ name }) => name))

const isDeprecated = (member: Named): boolean =>
  (member as { readonly deprecationReason?: string | null }).deprecationReason != null

/** The frame for a field, an argument or a value; null: it has none. */
function frameFor({ plain, usual }: Frames, source: Described): Frame | null {
  if ((source instanceof LeanField || source instanceof LeanInput) && source.isPlain) return plain
  return usual && source.deprecationReason == null ? usual : null
}

/** The list of a type that has its members. */
function membersIn(type: GraphQLNamedType): string | null {
  if (isInputObjectType(type)) return 'inputFields'
  if (isEnumType(type)) return 'enumValues'
  return isObjectType(type) ? 'fields' : null
}

/** Writes values that are short, and counts all values. */
export class ValueWriter {
  out = new ByteText()
  values = 0
  /** Whether the enums of introspection itself are sorted, too. */
  readonly #sortsMetaEnums: boolean

  constructor(sortsMetaEnums: boolean) {
    this.#sortsMetaEnums = sortsMetaEnums
  }

  /** Writes a type at once: most of an answer is types with few members. */
  flatType({ fields, frames }: IntrospectedField, type: GraphQLNamedType, members: Members): void {
    const frame =
      type instanceof TableInputType ? frames!.ofInput : type instanceof TableObjectType ? frames!.ofObject : null
    if (frame) {
      this.values += frame.values
      for (const part of frame.parts) {
        if (part instanceof Uint8Array) this.out.bytes(part)
        else if (part.name === 'name') this.#name(type)
        else this.#flatField(part, type, members)
      }
    } else {
      for (const field of fields!) {
        this.out.bytes(field.opening)
        this.#flatField(field, type, members)
      }
      this.endObject(fields!)
    }
  }

  #flatField(field: IntrospectedField, type: GraphQLNamedType, members: Members): void {
    if (field.isBounded) this.bounded(field, type)
    else this.#flatList(field, type, members)
  }

  #flatList(field: IntrospectedField, type: GraphQLNamedType, members: Members): void {
    this.values++
    const list = field.name === membersIn(type) ? members : null
    if (list && this.#copied(field, list)) return
    const before = this.values
    const mark = this.out.mark()
    const items = this.#flatItems(field, type, members)
    if (items === null) this.out.bytes(nothing)
    else this.#boundedItems(field, metaTypes.has(type.name) ? this.metaInOrder(items, type) : fewByName(items))
    if (list?.isShared) this.#keep(list, field, { mark, before })
  }

  /** A list of bounded objects. */
  #boundedItems(field: IntrospectedField, items: readonly unknown[]): void {
    this.out.byte(openBracket)
    let isFirst = true
    for (const item of items) {
      if (!isFirst) this.out.byte(comma)
      isFirst = false
      this.boundedObject(field, item)
    }
    this.out.byte(closeBracket)
  }

  /** The items of a list that a type has, in their own order; null: it is not one of the type's lists. */
  #flatItems(field: IntrospectedField, type: GraphQLNamedType, members: Members): readonly Named[] | null {
    if (field.name === membersIn(type)) return this.shown(field, members.members)
    if (field.name === 'possibleTypes') return isUnionType(type) ? type.getTypes() : null
    return field.name === 'interfaces' && isObjectType(type) ? type.getInterfaces() : null
  }

  /** A value that is short, or a list of few short objects. */
  bounded(field: IntrospectedField, source: unknown): void {
    this.values++
    if (field.leaf) field.leaf(source, this.out)
    else if (source instanceof LeanField && field.name === 'args' && source.list.isShared) {
      if (this.#copied(field, source.list)) return
      const before = this.values
      const mark = this.out.mark()
      this.#boundedAnew(field, source)
      this.#keep(source.list, field, { mark, before })
    } else this.#boundedAnew(field, source)
  }

  /** Copies the bytes of a list if the answer has them already. */
  #copied(field: IntrospectedField, { written }: LeanList<unknown>): boolean {
    if (written?.of !== field) return false
    this.values += written.values
    this.out.copy(written.piece as Piece)
    return true
  }

  /** Keeps the place of a list that others have, too. */
  #keep(list: LeanList<unknown>, field: IntrospectedField, { mark, before }: { mark: Piece; before: number }): void {
    const piece = this.out.since(mark)
    if (piece) list.written = { of: field, piece, values: this.values - before }
  }

  #boundedAnew(field: IntrospectedField, source: unknown): void {
    const value = this.#valueOf(field, source)
    if (value === null) this.out.bytes(nothing)
    // The wrappers around a type are parts of one text.
    else if (field.name === 'ofType') this.boundedObject(field, value)
    else if (field.isList) this.#boundedItems(field, fewByName(value as readonly Named[]))
    else this.#reference(field, value)
  }

  #name({ name }: Named): void {
    this.values++
    this.out.text(name)
  }

  /** The value of a field; arguments of lean fields are known without the resolvers. */
  #valueOf(field: IntrospectedField, source: unknown): unknown {
    const isArguments = source instanceof LeanField && field.name === 'args'
    return isArguments ? this.shown(field, source.args) : valueIn(field, source)
  }

  boundedObject({ fields, frames }: IntrospectedField, source: unknown): void {
    const frame = frameFor(frames!, source as Described)
    if (frame) {
      this.values += frame.values
      const { parts } = frame
      const isLean = source instanceof LeanField || source instanceof LeanInput
      // An iterator for each object would be garbage.
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i]!
        if (part instanceof Uint8Array) this.out.bytes(part)
        else if (part.name === 'name') this.#name(source as Named)
        else if (part.name === 'type' && isLean) {
          this.values++
          this.#reference(part, source.type)
        } else this.bounded(part, source)
      }
      return
    }
    for (let i = 0; i < fields!.length; i++) {
      const field = fields![i]!
      this.out.bytes(field.opening)
      this.bounded(field, source)
    }
    this.endObject(fields!)
  }

  /** A type that is referred to. */
  #reference(field: IntrospectedField, type: unknown): void {
    const values = field.references?.write(type, this.out) ?? null
    if (values === null) this.boundedObject(field, type)
    else this.values += values
  }

  /** Those of a type's fields that are asked for. */
  shown(field: IntrospectedField, all: readonly Named[]): readonly Named[] {
    if (field.arguments['includeDeprecated'] === true) return all
    return all.some(isDeprecated) ? all.filter((each) => !isDeprecated(each)) : all
  }

  /** Ends the object of these fields. */
  endObject({ length }: readonly IntrospectedField[]): void {
    if (length === 0) this.out.byte(openBrace)
    this.out.byte(closeBrace)
  }

  metaInOrder(items: readonly Named[], source: unknown): readonly Named[] {
    if (!isEnumType(source) || !this.#sortsMetaEnums) return items
    return items.toSorted((a, b) => compareText(a.name, b.name))
  }
}
