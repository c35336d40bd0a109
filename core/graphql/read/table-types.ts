// Types of which each table has one, such as `T_order_by`. Such a type is data: a table, a role's schema, and the functions
// that describe the types of all tables.
//
// For each type graphql-js makes seven objects, and copies the configuration of its members. Only planning needs them, and a
// schema of 1,000 tables has 46,000 types.

import {
  assertName,
  GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfig,
  type GraphQLFieldMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldMap,
  GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLObjectTypeExtensions,
} from 'graphql'
import type { TableModel } from '../../metadata/document/model.ts'
import { type Given, LeanField, LeanInput, type LeanList, LeanValue, listOf, recordOf } from './lean-members.ts'
import type { SchemaScope, TableKind } from './schema-scope.ts'

type FieldConfig = GraphQLFieldConfig<unknown, unknown>

/** The common parts of the object types of tables. */
export interface TableObject {
  /** The name of a table's type, before the source spells it. */
  readonly name: (table: TableModel, scope: SchemaScope) => string
  readonly description?: (table: TableModel, scope: SchemaScope) => string | null | undefined
  /** The fields of a table's type; each call may make them anew. */
  readonly fields: (table: TableModel, scope: SchemaScope) => Given<GraphQLFieldConfig<unknown, unknown>>
  readonly interfaces?: (table: TableModel, scope: SchemaScope) => readonly GraphQLInterfaceType[]
  readonly extensions?: (table: TableModel) => GraphQLObjectTypeExtensions
}

/** The common parts of the input objects of tables; see {@link TableObject}. */
export interface TableInput extends Pick<TableObject, 'name' | 'description'> {
  readonly fields: (table: TableModel, scope: SchemaScope) => Given<GraphQLInputFieldConfig>
}

/** The common parts of the enums of tables; see {@link TableObject}. */
export interface TableEnum extends Pick<TableObject, 'name' | 'description'> {
  readonly values: (table: TableModel, scope: SchemaScope) => Given<GraphQLEnumValueConfig>
}

/** The functions that all types of a kind share. */
class CommonParts {
  readonly name: TableObject['name']
  readonly description: TableObject['description'] | undefined
  readonly interfaces: TableObject['interfaces'] | undefined
  readonly extensions: TableObject['extensions'] | undefined
  readonly members: (table: TableModel, scope: SchemaScope) => Given<unknown>

  constructor(described: Omit<TableObject, 'fields'>, members: CommonParts['members']) {
    this.name = described.name
    this.description = described.description
    this.interfaces = described.interfaces
    this.extensions = described.extensions
    this.members = members
  }
}

type TypeClass<T> = new (common: CommonParts, table: TableModel, scope: SchemaScope) => T

/** Extensions of types that have none: an object for each would take much of its memory. */
export const noExtensions = Object.freeze(Object.create(null))
const none: readonly never[] = Object.freeze([])

/** The members of such a type that graphql-js does not know. */
interface Made<Config> {
  /** The schema that has reached the type last. */
  reachedBy: unknown
  /** The configurations of its fields or values. */
  given(): Given<Config>
}

/** A class of types with the methods of a class of graphql-js, whose constructor is not called. */
function classOf<T extends GraphQLNamedType, Config>(sample: T) {
  class Type implements Made<Config> {
    name: string
    reachedBy: unknown = null
    // Private fields would be missing from copies of a type with other members.
    readonly common: CommonParts
    readonly table: TableModel
    readonly scope: SchemaScope

    constructor(common: CommonParts, table: TableModel, scope: SchemaScope) {
      this.name = assertName(common.name(table, scope))
      this.common = common
      this.table = table
      this.scope = scope
    }

    given(): Given<Config> {
      return this.common.members(this.table, this.scope) as Given<Config>
    }

    get description(): string | null | undefined {
      return this.common.description?.(this.table, this.scope)
    }

    get extensions(): GraphQLObjectTypeExtensions {
      return this.common.extensions?.(this.table) ?? noExtensions
    }

    get extensionASTNodes(): readonly never[] {
      return none
    }

    getInterfaces(): readonly GraphQLInterfaceType[] {
      return this.common.interfaces?.(this.table, this.scope) ?? none
    }
  }
  Object.setPrototypeOf(Type.prototype, Object.getPrototypeOf(sample))
  // graphql-js tells its classes apart by this symbol.
  Object.assign(Type.prototype, { __kind: Reflect.get(sample, '__kind'), isOneOf: false })
  // No type can say that it inherits the rest, since graphql-js declares private members.
  return Type as unknown as TypeClass<T & Made<Config>>
}

const noFields = { name: 'Sample', fields: {} }

/** An object type of a table. */
export class TableObjectType extends classOf<GraphQLObjectType, FieldConfig>(new GraphQLObjectType(noFields)) {
  #fields: GraphQLFieldMap<unknown, unknown> | null = null

  override getFields(): GraphQLFieldMap<unknown, unknown> {
    this.#fields ??= new GraphQLObjectType({ name: this.name, fields: recordOf(this.given()) }).getFields()
    return this.#fields
  }
}

/** An input object of a table. */
export class TableInputType extends classOf<GraphQLInputObjectType, GraphQLInputFieldConfig>(
  new GraphQLInputObjectType(noFields),
) {
  #fields: GraphQLInputFieldMap | null = null

  override getFields(): GraphQLInputFieldMap {
    this.#fields ??= new GraphQLInputObjectType({ name: this.name, fields: recordOf(this.given()) }).getFields()
    return this.#fields
  }
}

/** An enum of a table. */
export class TableEnumType extends classOf<GraphQLEnumType, GraphQLEnumValueConfig>(
  new GraphQLEnumType({ name: 'Sample', values: {} }),
) {
  #values: readonly GraphQLEnumValue[] | null = null

  override getValues(): readonly GraphQLEnumValue[] {
    this.#values ??= new GraphQLEnumType({ name: this.name, values: recordOf(this.given()) }).getValues()
    return this.#values
  }
}

function ofKind<T extends GraphQLNamedType>(Type: TypeClass<T>, common: CommonParts) {
  const kind: TableKind<T> = { make: (table, scope) => new Type(common, table, scope) }
  return (scope: SchemaScope, table: TableModel): T => scope.ofKind(kind, table)
}

/** An object type for each table, in the schema of each role. */
export const tableObject = (described: TableObject): ((scope: SchemaScope, table: TableModel) => GraphQLObjectType) =>
  ofKind(TableObjectType, new CommonParts(described, described.fields))

/** An input object for each table, in the schema of each role. */
export const tableInput = (
  described: TableInput,
): ((scope: SchemaScope, table: TableModel) => GraphQLInputObjectType) =>
  ofKind(TableInputType, new CommonParts(described, described.fields))

/** An enum for each table, in the schema of each role. */
export const tableEnum = (described: TableEnum): ((scope: SchemaScope, table: TableModel) => GraphQLEnumType) =>
  ofKind(TableEnumType, new CommonParts(described, described.values))

/** Whether a type is of a kind: it gives its members anew whenever they are read for an introspection. */
export const isOfKind = (type: GraphQLNamedType): type is TableObjectType | TableInputType | TableEnumType =>
  type instanceof TableInputType || type instanceof TableObjectType || type instanceof TableEnumType

/** The fields or values of a type as they are given; null: it is of no kind. */
export function leanMembers(type: GraphQLNamedType): LeanList | null {
  if (type instanceof TableInputType) return listOf(type.given(), LeanInput)
  if (type instanceof TableObjectType) return listOf(type.given(), LeanField)
  return type instanceof TableEnumType ? listOf(type.given(), LeanValue) : null
}
