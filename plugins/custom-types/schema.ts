// The shapes of custom types in arguments of operations and in documents.

import { parseType, print } from 'graphql'
import { type ObjectOptions, parseFailed, type QualifiedName, type TSchema, Type } from '../../sdk/index.ts'
import { ColumnName, type DecodePart, DocumentTableName, GraphQLName, own, TableName } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

/** A field of an input object or object; `type` is in GraphQL's notation, as graphql-js prints it. */
export interface TypedField {
  name: string
  type: string
  description?: string
}

/** An input object of the custom types. */
export interface InputObject {
  name: string
  description?: string
  fields: TypedField[]
}

/** A relationship to rows of a table; `field_mapping` maps fields of the object to columns of the table. */
export interface ObjectRelationship {
  name: string
  type: 'object' | 'array'
  remote_table: QualifiedName
  field_mapping: Record<string, string>
}

/** A relationship of a kind that another plugin has added. */
export interface OtherRelationship {
  name: string
  definition: object
}

export type AnyRelationship = ObjectRelationship | OtherRelationship

/** Whether an entry of an object's relationships leads to a table. */
export const leadsToTable = (entry: AnyRelationship): entry is ObjectRelationship => 'remote_table' in entry

/** A field of an object; the validation of all types refuses arguments. */
export interface ObjectField extends TypedField {
  arguments?: unknown
}

/** An object type of the custom types. */
export interface CustomObject {
  name: string
  description?: string
  fields: ObjectField[]
  relationships?: AnyRelationship[]
}

/** A scalar of the custom types, whose values are any JSON. */
export interface CustomScalar {
  name: string
  description?: string
}

/** A value of an enum. */
export interface CustomEnumValue {
  value: string
  description: string | null
  is_deprecated: boolean | null
}

/** An enum of the custom types. */
export interface CustomEnum {
  name: string
  description?: string
  values: CustomEnumValue[]
}

/** The four kinds of types; empty lists are left out. */
export interface CustomTypes {
  input_objects?: InputObject[]
  objects?: CustomObject[]
  scalars?: CustomScalar[]
  enums?: CustomEnum[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    custom_types: CustomTypes
  }
}

function canonicalType(text: string): string {
  try {
    return print(parseType(text))
  } catch {
    throw parseFailed(`not a valid GraphQL type: ${text}`)
  }
}

/** A type in GraphQL's notation, such as `[uuid!]!`. */
export const GraphQLTypeText = Type.String({ convert: canonicalType, examples: ['Int', '[uuid!]!'] })

const described = { description: Type.Optional(Type.String()) }

/** Leaves out empty lists. */
const canonical = (types: CustomTypes): CustomTypes =>
  Object.fromEntries(Object.entries(types).filter(([, list]) => list.length > 0))

/** Leaves out `source`, by which later engines name the table's database: here it is always the server's own. */
function canonicalRelationship({ source: _, ...relationship }: ObjectRelationship & { source?: string }) {
  return relationship
}

const canonicalObject = ({ relationships = [], ...object }: CustomObject): CustomObject =>
  relationships.length === 0 ? object : { ...object, relationships }

const canonicalValue = ({ value, description = null, is_deprecated = null }: Partial<CustomEnumValue>) => ({
  value,
  description,
  is_deprecated,
})

/** The kinds of relationships that plugins have added. */
export interface OtherKinds {
  /** The reader of a given entry; undefined if the entry is of another kind. */
  of(given: object): { read(given: object): OtherRelationship } | undefined
}

/** An entry of `relationships`: of a kind that a plugin has added, else a relationship to a table. */
function relationshipSchema(toTable: TSchema, kinds: OtherKinds) {
  return Type.Unknown({
    shown: Type.Union([toTable, Type.Object({ name: GraphQLName })]),
    convert(value: unknown, decodePart: DecodePart): AnyRelationship {
      const given = isJsonObject(value) && (own(value, 'remote_table') ?? null) === null ? value : null
      const kind = given && kinds.of(given)
      return kind ? kind.read(given) : (decodePart(toTable, value) as ObjectRelationship)
    },
  })
}

/** In documents, unknown keys are refused in both dialects. */
function typesSchema(isDocument: boolean, kinds: OtherKinds) {
  const closed: ObjectOptions = isDocument ? { additionalProperties: false } : {}
  const field = { name: GraphQLName, type: GraphQLTypeText, ...described }
  const toTable = Type.Object(
    {
      name: GraphQLName,
      type: Type.Union([Type.Literal('object'), Type.Literal('array')]),
      remote_table: isDocument ? DocumentTableName : TableName,
      field_mapping: Type.Record(Type.String(), ColumnName),
      source: Type.Optional(Type.String()),
    },
    { ...closed, convert: canonicalRelationship },
  )
  const value = Type.Object(
    { value: GraphQLName, ...described, is_deprecated: Type.Optional(Type.Boolean()) },
    { ...closed, convert: canonicalValue },
  )
  const inputObject = Type.Object(
    { name: GraphQLName, ...described, fields: Type.Array(Type.Object(field, closed), { minItems: 1 }) },
    closed,
  )
  const object = Type.Object(
    {
      name: GraphQLName,
      ...described,
      fields: Type.Array(Type.Object({ ...field, arguments: Type.Optional(Type.Unknown()) }, closed), { minItems: 1 }),
      relationships: Type.Optional(Type.Array(relationshipSchema(toTable, kinds))),
    },
    { ...closed, convert: canonicalObject },
  )
  const scalar = Type.Object({ name: GraphQLName, ...described }, closed)
  const enumeration = Type.Object(
    { name: GraphQLName, ...described, values: Type.Array(value, { minItems: 1 }) },
    closed,
  )
  const members = {
    input_objects: Type.Optional(Type.Array(inputObject)),
    objects: Type.Optional(Type.Array(object)),
    scalars: Type.Optional(Type.Array(scalar)),
    enums: Type.Optional(Type.Array(enumeration)),
  }
  return Type.Unsafe<CustomTypes>(Type.Object(members, { ...closed, convert: canonical }))
}

/** The arguments of `set_custom_types`. */
export const setCustomTypesArgs = (kinds: OtherKinds) => typesSchema(false, kinds)

/** `custom_types` of a document. */
export const documentSchema = (kinds: OtherKinds) => typesSchema(true, kinds)
