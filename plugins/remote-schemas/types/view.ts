// The part of a remote schema that a role sees, and the presets for its requests.

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

/** A value that is added to a role's requests. */
export type Preset =
  | { readonly kind: 'value'; readonly node: ConstValueNode }
  | { readonly kind: 'session'; readonly value: SessionValue }

/** A value that is, or contains, session variables. */
export type SessionValue =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly node: ConstValueNode }
  | { readonly kind: 'list'; readonly items: readonly SessionValue[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: SessionValue])[] }

/** The visible members and interfaces of a type. */
export interface VisibleType {
  /** Fields, enum values, or union members, each with its visible arguments. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>
  readonly interfaces: ReadonlySet<string>
}

export type Presets = ReadonlyMap<string, Preset>

const noPresets: Presets = new Map()

/** A role's part of a remote schema, by the server's names; the whole schema if `visible` is null. */
export class RemoteView {
  readonly types: RemoteTypes
  readonly #visible: ReadonlyMap<string, VisibleType> | null
  /** Keys are {@link placeOf} of fields, and names of input objects. */
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

  /** Whether all of the schema is visible. */
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

  /** The visible part of a type; undefined if the type is hidden, or all of the schema is visible. */
  visibleType(name: string): VisibleType | undefined {
    return this.#visible?.get(name)
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

  /** Whether all parts of a value are visible. */
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

  /** The visible object types of a type's values. */
  possibleTypes(type: GraphQLNamedType): GraphQLObjectType[] {
    if (isObjectType(type)) return [type]
    if (!isAbstractType(type)) return []
    const isMember = (object: GraphQLObjectType) =>
      this.seesMember(type, object.name) || this.interfaces(object).some(({ name }) => name === type.name)
    return this.types.schema.getPossibleTypes(type).filter((object) => this.sees(object) && isMember(object))
  }

  /** The visible unions of an object type. */
  unions({ name }: GraphQLObjectType): GraphQLUnionType[] {
    return (this.types.unions.get(name) ?? []).filter((union) => this.sees(union) && this.seesMember(union, name))
  }

  /** Whether values of a type may have hidden object types. */
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

/** The key of the presets of a field's arguments. */
export const placeOf = (type: string, field: string): string => `${type}.${field}`
