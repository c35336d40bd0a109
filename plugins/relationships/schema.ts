// The wire format of relationships, in arguments and in the document.

import { parseFailed, type QualifiedName, type TProperties, TrellisError, Type } from '../../sdk/index.ts'
import { ColumnName, type DecodePart, DocumentTableName, ObjectName, TableName } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

export const relationshipTypes = ['object', 'array'] as const

/** Whether a relationship leads to one row or to many. */
export type RelationshipType = (typeof relationshipTypes)[number]

const insertionOrders = ['before_parent', 'after_parent'] as const

/** When a nested insert takes the related row: before the row that it is nested in, or after it. */
export type InsertionOrder = (typeof insertionOrders)[number]

/** Columns of this table and the columns of the other that they equal. */
export interface ManualConfiguration {
  remote_table: QualifiedName
  column_mapping: Record<string, string>
  insertion_order?: InsertionOrder | null
}

/** The columns of a foreign key of another table. */
export type OtherKey = { table: QualifiedName } & (
  | { column: string; columns?: undefined }
  | { column?: undefined; columns: string[] }
)

/** The columns of a foreign key: of this table, which object relationships may have, or of the other. */
export interface ForeignKeyColumns {
  object: string | string[] | OtherKey
  array: OtherKey
}

/** How the related rows are found. */
export type Using<T extends RelationshipType = RelationshipType> =
  | { foreign_key_constraint_on: ForeignKeyColumns[T]; manual_configuration?: undefined }
  | { foreign_key_constraint_on?: undefined; manual_configuration: ManualConfiguration }

/** One relationship in a table's entry. */
export interface RelationshipEntry<T extends RelationshipType = RelationshipType> {
  name: string
  using: Using<T>
  comment?: string
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    object_relationships?: RelationshipEntry<'object'>[]
    array_relationships?: RelationshipEntry<'array'>[]
  }
}

/** A document may hold no unknown keys in either dialect. */
const objectOf = (properties: TProperties, document: boolean) =>
  Type.Object(properties, document ? { additionalProperties: false } : {})

const ColumnNames = Type.Array(ColumnName, { minItems: 1 })

const tableName = (document: boolean) => (document ? DocumentTableName : TableName)

const manualProperties = (document: boolean) => ({
  remote_table: tableName(document),
  column_mapping: Type.Record(ColumnName, ColumnName),
  insertion_order: Type.Optional(
    Type.Union([Type.Null(), Type.Union(insertionOrders.map((order) => Type.Literal(order)))]),
  ),
})

function otherKeySchema(document: boolean) {
  const table = tableName(document)
  const absent = Type.Optional(Type.Null())
  const names = Type.Union([ColumnName, ColumnNames])
  const shown = Type.Union([
    objectOf({ table, column: ColumnName, columns: absent }, document),
    objectOf({ table, columns: names, column: absent }, document),
  ])
  const shape = { table, column: Type.Optional(ColumnName), columns: Type.Optional(names) }
  return { ...objectOf(shape, document), convert: checkOtherKey, shown }
}

/** A single text as `columns` is the same as `column`. */
function checkOtherKey({ columns: given, ...rest }: GivenOtherKey): Partial<OtherKey> {
  const isSingle = typeof given === 'string' && rest.column === undefined
  const named = isSingle ? { column: given } : given !== undefined && { columns: [given].flat() }
  const key: { readonly column?: string; readonly columns?: string[] } = { ...rest, ...named }
  if (key.column !== undefined && key.columns !== undefined) {
    throw parseFailed('only one of column/columns should be present')
  }
  if (key.column === undefined && key.columns === undefined) throw parseFailed("the key 'column' was not present")
  return key as Partial<OtherKey>
}

interface GivenOtherKey {
  readonly table?: QualifiedName
  readonly column?: string
  readonly columns?: string | string[]
}

function usingSchema<T extends RelationshipType>(type: T, document: boolean) {
  const otherKey = otherKeySchema(document)
  const key = type === 'object' ? Type.Union([ColumnName, ColumnNames, otherKey]) : otherKey
  const manual = objectOf(manualProperties(document), document)
  const shape = objectOf(
    { foreign_key_constraint_on: Type.Optional(key), manual_configuration: Type.Optional(manual) },
    document,
  )
  const convert = (value: unknown, decodePart: DecodePart) => {
    checkUsing(value)
    try {
      return decodePart(shape, value)
    } catch (error) {
      const { foreign_key_constraint_on: given } = value as { foreign_key_constraint_on?: unknown }
      const isWrong = type === 'array' && given !== undefined && !isJsonObject(given)
      if (!isWrong || !(error instanceof TrellisError)) throw error
      throw error.with({ inInterface2: { message: 'Expecting object { table, columns }.' } })
    }
  }
  const absent = Type.Optional(Type.Null())
  const shown = Type.Union([
    objectOf({ foreign_key_constraint_on: key, manual_configuration: absent }, document),
    objectOf({ manual_configuration: manual, foreign_key_constraint_on: absent }, document),
  ])
  return Type.Unsafe<Using<T>>(Type.Unknown({ convert, shown }))
}

/** The rules that a schema cannot word. */
function checkUsing(value: unknown): void {
  if (!isJsonObject(value)) throw parseFailed('using should be an object')
  const { foreign_key_constraint_on: key = null, manual_configuration: manual = null } = value
  const both = 'foreign_key_constraint_on/manual_configuration'
  if (key === null && manual === null) throw parseFailed(`atleast one of ${both} should be present`)
  if (key !== null && manual !== null) throw parseFailed(`only one of ${both} should be present`)
  if (manual !== null && !isJsonObject(manual)) throw parseFailed('manual_configuration should be an object')
}

/** The arguments of `create_<type>_relationship`. */
export const createRelationshipArgs = <T extends RelationshipType>(type: T) =>
  Type.Object({
    table: TableName,
    name: ObjectName,
    using: usingSchema(type, false),
    comment: Type.Optional(Type.String()),
  })

/** The schema of an entry of `<type>_relationships`. */
export const relationshipEntrySchema = <T extends RelationshipType>(type: T) =>
  Type.Object(
    { name: ObjectName, using: usingSchema(type, true), comment: Type.Optional(Type.String()) },
    { additionalProperties: false },
  )

export const DropRelationshipArgs = Type.Object({
  table: TableName,
  relationship: ObjectName,
  cascade: Type.Optional(Type.Boolean()),
})

export const RenameRelationshipArgs = Type.Object({ table: TableName, name: ObjectName, new_name: ObjectName })

export const SetRelationshipCommentArgs = Type.Object({
  table: TableName,
  relationship: ObjectName,
  comment: Type.Optional(Type.String()),
})
