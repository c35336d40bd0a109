// A role's view of the model, from which contributions create their fields.

import type { GraphQLFieldConfig, GraphQLInputFieldConfig, GraphQLInterfaceType, GraphQLNamedType } from 'graphql'
import type { TableAccess } from '../../access/access.ts'
import type { Model, TableModel } from '../../metadata/document/model.ts'
import type { SchemaKind } from '../../metadata/naming/type-names.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { RequestSettings } from '../options.ts'

export type { SchemaKind }

/** Fields by name; each is created on first use. */
export type FieldMap = ReadonlyMap<string, () => GraphQLFieldConfig<unknown, unknown>>

/** Fields of an input object by name; each is made on first use. */
export type InputFieldMap = ReadonlyMap<string, () => GraphQLInputFieldConfig>

/** Fields of a root type: looked up one by one, and iterated only for introspection. */
export interface RootFields extends Iterable<readonly [name: string, make: RootFieldMaker]> {
  get(name: string): RootFieldMaker | undefined
  /** Names similar to a wrong name, for the hint of its error; absent: all names are candidates. */
  near?(name: string): Iterable<string>
}

/** Makes a field of a root type. */
export type RootFieldMaker = () => GraphQLFieldConfig<unknown, unknown>

/** A kind of types, of which each table has one in the schema of each role. */
export interface TableKind<T> {
  make(table: TableModel, scope: SchemaScope): T
}

/** A role's view of the model while its schema is being built. */
export interface SchemaScope {
  readonly kind: SchemaKind
  readonly model: Model
  readonly role: string
  readonly backendOnly: boolean
  readonly dialect: Dialect
  readonly settings: RequestSettings
  /** The role's access to a table; null when the table is not served. */
  access(table: QualifiedName): TableAccess | null
  /** The roles that the role has a right from: itself if it has the right, else its parents that have it. */
  grantors(has: (role: string) => boolean): readonly string[]
  /** The type of this name; `build` creates it on first use. The same name always returns the same object. */
  type<T extends GraphQLNamedType>(name: string, build: () => T): T
  /** The table's type of a kind; the functions that `tableObject` and its like return call it. The same arguments always return the same object. */
  ofKind<T extends GraphQLNamedType>(kind: TableKind<T>, table: TableModel): T
  /** The name that the source gives to a type of its objects. */
  sourceTypeName(name: string): string
  /** A type that is generated from scalars, or for all tables, such as `order_by`: the source spells its name and its fields. */
  generatedType<T extends GraphQLNamedType>(name: string, build: () => T): T
  /** The field with its arguments as the source spells them; for fields of types of other objects that lead to its tables. */
  spelledField<F extends GraphQLFieldConfig<unknown, unknown>>(field: F): F
  /** A name with an addition as the source spells it: `books_aggregate` or `booksAggregate`. */
  withSuffix(name: string, suffix: string): string
  /** Fields that all contributions add to a table's row, by the kind of type that contains them. */
  rowFields(table: TableModel): FieldMap
  rowInterfaces(table: TableModel): readonly GraphQLInterfaceType[]
  booleanFields(table: TableModel): InputFieldMap
  orderFields(table: TableModel): InputFieldMap
  insertFields(table: TableModel): InputFieldMap
}

/** A function of a role's view of a table that computes each result once, on its first call. */
export function perTable<T>(
  compute: (scope: SchemaScope, table: TableModel) => T,
): (scope: SchemaScope, table: TableModel) => T {
  const scopes = new WeakMap<SchemaScope, Map<TableModel, T>>()
  return (scope, table) => {
    let results = scopes.get(scope)
    if (!results) {
      results = new Map()
      scopes.set(scope, results)
    }
    const known = results.get(table)
    if (known !== undefined) return known
    const result = compute(scope, table)
    results.set(table, result)
    return result
  }
}
