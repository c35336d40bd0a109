// A role's view of the model, which contributions make their fields from.

import type { GraphQLFieldConfig, GraphQLInputFieldConfig, GraphQLInterfaceType, GraphQLNamedType } from 'graphql'
import type { TableAccess } from '../../access/access.ts'
import type { Model, TableModel } from '../../metadata/document/model.ts'
import type { SchemaKind } from '../../metadata/naming/type-names.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { RequestSettings } from '../options.ts'

export type { SchemaKind }

/** Fields by name, each made on first use. */
export type FieldMap = ReadonlyMap<string, () => GraphQLFieldConfig<unknown, unknown>>

/** Fields by name, from an object of what makes them. */
export const fieldMap = (makers: Readonly<Record<string, () => GraphQLFieldConfig<unknown, unknown>>>): FieldMap =>
  new Map(Object.entries(makers))

export type InputFieldMap = ReadonlyMap<string, () => GraphQLInputFieldConfig>

/** Fields of a root type: found by name one by one, and gone through as a whole for introspection only. */
export interface RootFields extends Iterable<readonly [name: string, make: RootFieldMaker]> {
  get(name: string): RootFieldMaker | undefined
  /** Names of fields that a wrong name may have been meant for; absent: all may. Asked when such an error is answered. */
  near?(name: string): Iterable<string>
}

export type RootFieldMaker = () => GraphQLFieldConfig<unknown, unknown>

/** A role's view of the model, while its schema is put together. */
export interface SchemaScope {
  readonly kind: SchemaKind
  readonly model: Model
  readonly role: string
  readonly backendOnly: boolean
  readonly dialect: Dialect
  readonly settings: RequestSettings
  /** What the role may do with a table; null when the table is not served. */
  access(table: QualifiedName): TableAccess | null
  /** The type of that name, made by `build` on first use; the same name always gives the same object. */
  type<T extends GraphQLNamedType>(name: string, build: () => T): T
  /** The same for a type that is a table's own: what another table makes under the name is another type. */
  tableType<T extends GraphQLNamedType>(table: TableModel, name: string, build: () => T): T
  /** Members of a table's row that all contributions add, by kind of type they appear in. */
  rowFields(table: TableModel): FieldMap
  rowInterfaces(table: TableModel): readonly GraphQLInterfaceType[]
  booleanFields(table: TableModel): InputFieldMap
  orderFields(table: TableModel): InputFieldMap
  insertFields(table: TableModel): InputFieldMap
}
