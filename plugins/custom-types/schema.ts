// What custom types look like on the wire, in arguments and in the document.

import { parseType, print } from 'graphql'
import { type ObjectOptions, parseFailed, type QualifiedName, Type } from '../../sdk/index.ts'
import { ColumnName, DocumentTableName, GraphQLName, TableName } from '../../sdk/metadata.ts'

/** A field of an input object or object; `type` is GraphQL's text of a type, as graphql-js prints it. */
export interface TypedField {
  name: string
  type: string
  description?: string
}

export interface InputObject {
  name: string
  description?: string
  fields: TypedField[]
}

/** A member of an object that leads to rows of a table: pairs of (field of the object, column of the table). */
export interface ObjectRelationship {
  name: string
  type: 'object' | 'array'
  remote_table: QualifiedName
  field_mapping: Record<string, string>
}

/** A field of an object; that it has arguments is refused when the types are looked at as a whole. */
export interface ObjectField extends TypedField {
  arguments?: unknown
}

export interface CustomObject {
  name: string
  description?: string
  fields: ObjectField[]
  relationships?: ObjectRelationship[]
}

export interface CustomScalar {
  name: string
  description?: string
}

export interface CustomEnumValue {
  value: string
  description: string | null
  is_deprecated: boolean | null
}

export interface CustomEnum {
  name: string
  description?: string
  values: CustomEnumValue[]
}

/** The four kinds of types; a kind without any is left out. */
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

/** GraphQL's text of a type, such as `[uuid!]!`. */
export const GraphQLTypeText = Type.String({ convert: canonicalType, examples: ['Int', '[uuid!]!'] })

const described = { description: Type.Optional(Type.String()) }

/** Leaves out the kinds that have no types. */
const canonical = (types: CustomTypes): CustomTypes =>
  Object.fromEntries(Object.entries(types).filter(([, list]) => list.length > 0))

/** Later engines name the database that the table is in, of which there is one. */
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

/** A document may hold no unknown keys, arguments may. */
function typesSchema(isDocument: boolean) {
  const closed: ObjectOptions = isDocument ? { additionalProperties: false } : {}
  const field = { name: GraphQLName, type: GraphQLTypeText, ...described }
  const relationship = Type.Object(
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
      relationships: Type.Optional(Type.Array(relationship)),
    },
    { ...closed, convert: canonicalObject },
  )
  const scalar = Type.Object({ name: GraphQLName, ...described }, closed)
  const enumeration = Type.Object(
    { name: GraphQLName, ...described, values: Type.Array(value, { minItems: 1 }) },
    closed,
  )
  const kinds = {
    input_objects: Type.Optional(Type.Array(inputObject)),
    objects: Type.Optional(Type.Array(object)),
    scalars: Type.Optional(Type.Array(scalar)),
    enums: Type.Optional(Type.Array(enumeration)),
  }
  return Type.Unsafe<CustomTypes>(Type.Object(kinds, { ...closed, convert: canonical }))
}

/** The arguments of `set_custom_types`. */
export const SetCustomTypesArgs = typesSchema(false)

/** `custom_types` of a document. */
export const documentSchema = typesSchema(true)
