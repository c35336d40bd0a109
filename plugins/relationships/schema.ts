// What relationships look like on the wire, in arguments and in the document.

import { type TProperties, Type } from '@sinclair/typebox'
import { parseFailed } from '../../core/errors.ts'
import { jsonType } from '../../core/json.ts'
import type { QualifiedName } from '../../core/names.ts'
import { decode } from '../../core/operations/decode.ts'
import { ColumnName, ObjectName, TableName } from '../../core/operations/wire-types.ts'

export const relationshipTypes = ['object', 'array'] as const

export type RelationshipType = (typeof relationshipTypes)[number]

/** Columns of this table and the columns of the other that they equal. */
export interface ManualConfiguration {
  remote_table: QualifiedName
  column_mapping: Record<string, string>
}

/** A foreign key's column: of this table for object relationships, of the other for array relationships. */
export interface ForeignKeyColumns {
  object: string
  array: { table: QualifiedName; column: string }
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

declare module '../../core/metadata/document.ts' {
  interface TableEntry {
    object_relationships?: RelationshipEntry<'object'>[]
    array_relationships?: RelationshipEntry<'array'>[]
  }
}

/** A document may hold no unknown keys, arguments may. */
const objectOf = (properties: TProperties, document: boolean) =>
  Type.Object(properties, document ? { additionalProperties: false } : {})

const keyProperties = { table: TableName, column: ColumnName }
const manualProperties = { remote_table: TableName, column_mapping: Type.Record(ColumnName, ColumnName) }

function usingSchema<T extends RelationshipType>(type: T, document: boolean) {
  const key = type === 'object' ? ColumnName : objectOf(keyProperties, document)
  const manual = objectOf(manualProperties, document)
  const shape = objectOf(
    { foreign_key_constraint_on: Type.Optional(key), manual_configuration: Type.Optional(manual) },
    document,
  )
  const convert = (value: unknown) => {
    checkUsing(value)
    return decode(shape, value)
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
  if (jsonType(value) !== 'Object') throw parseFailed('using should be an object')
  const { foreign_key_constraint_on: key = null, manual_configuration: manual = null } = value as Record<
    string,
    unknown
  >
  const both = 'foreign_key_constraint_on/manual_configuration'
  if (key === null && manual === null) throw parseFailed(`atleast one of ${both} should be present`)
  if (key !== null && manual !== null) throw parseFailed(`only one of ${both} should be present`)
  if (manual !== null && jsonType(manual) !== 'Object') throw parseFailed('manual_configuration should be an object')
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
