// What a role sees of a remote schema, and what is added to what it asks.

import type { ConstValueNode } from 'graphql'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLUnionType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
} from 'graphql'
import { type RemoteTypes, type RootKind, rootTypeOf } from './remote-types.ts'

/** A value that is added to what a role asks. */
export type Preset =
  | { readonly kind: 'value'; readonly node: ConstValueNode }
  | { readonly kind: 'session'; readonly value: SessionValue }

/** A value that session variables are, or are in. */
export type SessionValue =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly node: ConstValueNode }
  | { readonly kind: 'list'; readonly items: readonly SessionValue[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: SessionValue])[] }

/** What is visible of a type; of fields of objects, the arguments. */
export interface VisibleType {
  /** Fields of objects, interfaces and input objects, values of enums, members of unions. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>
  readonly interfaces: ReadonlySet<string>
}

export type Presets = ReadonlyMap<string, Preset>

const noPresets: Presets = new Map()

/** A role's part of a remote schema, by the names of its server; all of it unless there are limits. */
export class RemoteView {
  readonly types: RemoteTypes
  readonly #visible: ReadonlyMap<string, VisibleType> | null
  /** By {@link placeOf} of the field, or the name of the input object. */
  readonly #presets: ReadonlyMap<string, Presets>

  constructor(
    types: RemoteTypes,
    visible: ReadonlyMap<string, VisibleType> | null = null,
    presets: ReadonlyMap<string, Presets> = new Map(),
  ) {
    this.types = types
    this.#visible = visible
    this.#presets = presets
  }

  /** Whether nothing is hidden. */
  get isWhole(): boolean {
    return this.#visible === null
  }

  get hasPresets(): boolean {
    return this.#presets.size > 0
  }

  root(kind: RootKind): GraphQLObjectType | null {
    const type = rootTypeOf(this.types.schema, kind)
    return type && this.sees(type) ? type : null
  }

  sees({ name }: GraphQLNamedType): boolean {
    return this.#visible?.has(name) ?? true
  }

  seesMember({ name }: GraphQLNamedType, member: string): boolean {
    return this.#visible?.get(name)?.members.has(member) ?? this.#visible === null
  }

  fields(type: GraphQLObjectType | GraphQLInterfaceType): GraphQLField<unknown, unknown>[] {
    return Object.values(type.getFields()).filter(({ name }) => this.seesMember(type, name))
  }

  interfaces(type: GraphQLObjectType | GraphQLInterfaceType): GraphQLInterfaceType[] {
    const visible = this.#visible?.get(type.name)?.interfaces
    return type.getInterfaces().filter(({ name }) => visible?.has(name) ?? this.#visible === null)
  }

  arguments(type: GraphQLNamedType, { name: field, args }: GraphQLField<unknown, unknown>): GraphQLArgument[] {
    const visible = this.#visible?.get(type.name)?.members.get(field)
    return args.filter(({ name }) => visible?.has(name) ?? this.#visible === null)
  }

  inputFields(type: GraphQLNamedType & { getFields(): Record<string, GraphQLInputField> }): GraphQLInputField[] {
    return Object.values(type.getFields()).filter(({ name }) => this.seesMember(type, name))
  }

  enumValues(type: GraphQLNamedType) {
    return isEnumType(type) ? type.getValues().filter(({ name }) => this.seesMember(type, name)) : []
  }

  /** Whether all that stands in a value of a type is visible. */
  seesValue(node: ConstValueNode, type: GraphQLInputType): boolean {
    if (this.isWhole) return true
    const nullable = getNullableType(type)
    if (isListType(nullable)) {
      const items = node.kind === Kind.LIST ? node.values : [node]
      return items.every((item) => this.seesValue(item, nullable.ofType))
    }
    if (node.kind === Kind.ENUM && isEnumType(nullable)) return this.seesMember(nullable, node.value)
    if (node.kind !== Kind.OBJECT || !isInputObjectType(nullable)) return true
    const fields = nullable.getFields()
    return node.fields.every(({ name: { value: name }, value }) => {
      return this.seesMember(nullable, name) && this.seesValue(value, fields[name]!.type)
    })
  }

  /** The visible object types that values of a type may have. */
  possibleTypes(type: GraphQLNamedType): GraphQLObjectType[] {
    if (isObjectType(type)) return [type]
    if (!isAbstractType(type)) return []
    const isMember = (object: GraphQLObjectType) =>
      this.seesMember(type, object.name) || this.interfaces(object).some(({ name }) => name === type.name)
    return this.types.schema.getPossibleTypes(type).filter((object) => this.sees(object) && isMember(object))
  }

  /** The visible unions that an object type is a member of. */
  unions({ name }: GraphQLObjectType): GraphQLUnionType[] {
    return (this.types.unions.get(name) ?? []).filter((union) => this.sees(union) && this.seesMember(union, name))
  }

  /** Whether values of a type may be of object types that are not visible. */
  hidesTypes(type: GraphQLNamedType): boolean {
    if (this.#visible === null || !isAbstractType(type)) return false
    return this.possibleTypes(type).length < this.types.schema.getPossibleTypes(type).length
  }

  argumentPresets(type: string, field: string): Presets {
    return this.#presets.get(placeOf(type, field)) ?? noPresets
  }

  inputPresets(type: string): Presets {
    return this.#presets.get(type) ?? noPresets
  }
}

/** Where presets of a field's arguments are found. */
export const placeOf = (type: string, field: string): string => `${type}.${field}`
