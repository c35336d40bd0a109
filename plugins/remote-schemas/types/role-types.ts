// Makes the types of a remote schema for a role's schema, each on first use.

import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { type SchemaScope, scalarOfColumns } from '../../../sdk/graphql.ts'
import type { RemoteView } from './view.ts'

type Composite = GraphQLObjectType | GraphQLInterfaceType

/** The alias of `__typename` in requests, where completing the answer needs the type of a value. */
export const typeMember = '__type_of_value'

/** Makes a view's types for a role's schema. */
export class RoleTypes {
  readonly #scope: SchemaScope
  readonly #view: RemoteView

  constructor(scope: SchemaScope, view: RemoteView) {
    this.#scope = scope
    this.#view = view
  }

  output(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.output(type.ofType) as GraphQLScalarType)
    if (isListType(type)) return new GraphQLList(this.output(type.ofType))
    return this.#named(type) as GraphQLScalarType
  }

  input(type: GraphQLInputType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.input(type.ofType) as GraphQLScalarType)
    if (isListType(type)) return new GraphQLList(this.input(type.ofType))
    return this.#named(type) as GraphQLScalarType
  }

  /** The configuration of a field; the caller gives it a name. */
  field(parent: Composite, field: GraphQLField<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
    const { type, description, deprecationReason } = field
    const args = this.#view.arguments(parent, field).map((each) => [each.name, this.argument(each)] as const)
    return {
      type: this.output(type),
      args: Object.fromEntries(args),
      ...(description != null && { description }),
      ...(deprecationReason != null && { deprecationReason }),
    }
  }

  argument({
    type,
    description,
    deprecationReason,
    ...rest
  }: GraphQLArgument | GraphQLInputField): GraphQLInputFieldConfig {
    // A default with hidden parts is not shown, unless the argument would be required without it.
    const byDefault = rest.default
    const isShown = byDefault?.literal && (isNonNullType(type) || this.#view.seesValue(byDefault.literal, type))
    return {
      type: this.input(type),
      ...(isShown && { default: byDefault }),
      ...(description != null && { description }),
      ...(deprecationReason != null && { deprecationReason }),
    }
  }

  #named(type: GraphQLNamedType): GraphQLNamedType {
    const name = this.#view.types.names.localType(type.name)
    if (isScalarType(type) && isSpecifiedScalarType(type)) {
      if (name === type.name) return type
      // Values are still those of the scalar, which only has another name here.
      return this.#scope.type(name, () => new GraphQLScalarType({ ...type.toConfig(), name }))
    }
    const shared = isScalarType(type) ? scalarOfColumns(this.#scope, name) : null
    return shared ?? this.#scope.type(name, () => this.#make(type, name))
  }

  #make(type: GraphQLNamedType, name: string): GraphQLNamedType {
    const description = type.description ?? undefined
    const view = this.#view
    if (isScalarType(type)) {
      const { specifiedByURL } = type
      return new GraphQLScalarType({ name, description, specifiedByURL })
    }
    if (isEnumType(type)) {
      const values = view
        .enumValues(type)
        .map((each) => [each.name, { description: each.description, deprecationReason: each.deprecationReason }])
      return new GraphQLEnumType({ name, description, values: Object.fromEntries(values) })
    }
    if (isInputObjectType(type)) {
      const fields = () =>
        Object.fromEntries(view.inputFields(type).map((each) => [each.name, this.argument(each)] as const))
      return new GraphQLInputObjectType({ name, description, isOneOf: type.isOneOf, fields })
    }
    if (isUnionType(type)) {
      const types = () => this.#objects(view.possibleTypes(type))
      return new GraphQLUnionType({ name, description, types, resolveType: this.#resolveType })
    }
    return this.#composite(type as Composite, name)
  }

  #composite(type: Composite, name: string): GraphQLNamedType {
    const description = type.description ?? undefined
    const interfaces = () => this.#view.interfaces(type).map((each) => this.#named(each) as GraphQLInterfaceType)
    const fields = () => {
      const { names } = this.#view.types
      const visible = this.#view.fields(type)
      const own = visible.map((each) => [names.localField(type.name, each.name), this.field(type, each)] as const)
      return Object.fromEntries([...own, ...(isObjectType(type) ? this.#added(name, own) : [])])
    }
    if (isObjectType(type)) {
      const unions = () => this.#view.unions(type).map((union) => this.#view.types.names.localType(union.name))
      return new GraphQLObjectType({ name, description, interfaces, fields, extensions: { unions, equalsRows: true } })
    }
    let possible: readonly GraphQLObjectType[] | undefined
    const possibleTypes = () => {
      possible ??= this.#objects(this.#view.possibleTypes(type))
      return possible
    }
    const extensions = { possibleTypes }
    return new GraphQLInterfaceType({
      ...{ name, description, interfaces, fields, extensions },
      resolveType: this.#resolveType,
    })
  }

  /** The fields that relationships add to an object type whose own fields the role sees. */
  #added(name: string, own: readonly (readonly [name: string, field: unknown])[]) {
    const visible = new Set(own.map(([field]) => field))
    const [remote] = this.#scope.model.slices.remote_schemas?.values() ?? []
    const members = (remote?.typeMembers.get(name) ?? []).filter(({ needs }) =>
      needs.every((each) => visible.has(each)),
    )
    return members.flatMap((member) => [...member.fields(this.#scope)].map(([key, make]) => [key, make()] as const))
  }

  readonly #resolveType = (value: unknown): string | undefined => {
    const remote = (value as Readonly<Record<string, unknown>>)[typeMember]
    return typeof remote === 'string' ? this.#view.types.names.localType(remote) : undefined
  }

  #objects(types: readonly GraphQLObjectType[]): GraphQLObjectType[] {
    return types.map((each) => this.#named(each) as GraphQLObjectType)
  }
}
