// The shapes of relationships from remote types: `{"to_source": …}` leads to rows of a table, `{"to_remote_schema": …}` to a field
// of a remote schema.

import { type Dialect, parseFailed, type QualifiedName, type TSchema, Type } from '../../sdk/index.ts'
import {
  ColumnName,
  type DecodePart,
  DocumentTableName,
  GraphQLName,
  ObjectName,
  own,
  SourceName,
  TableName,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { definitionSchema, type RemoteRelationshipDefinition } from './schema.ts'

/** A relationship to rows of a table; `field_mapping` maps fields of the type to columns. */
export interface ToTable {
  relationship_type: 'object' | 'array'
  /** As given; exports have the name of the one source. */
  source?: string
  table: QualifiedName
  field_mapping: Record<string, string>
}

/** The definition of a relationship from a remote type. */
export type TypeDefinition = { to_source: ToTable } | { to_remote_schema: RemoteRelationshipDefinition }

/** The arguments of `create_remote_schema_remote_relationship` and its counterpart for updates. */
export interface TypeRelationshipArgs {
  remote_schema: string
  type_name: string
  name: string
  definition: TypeDefinition
}

const closed = { additionalProperties: false }

function notEmpty(mapping: Readonly<Record<string, string>>) {
  if (Object.keys(mapping).length === 0) throw parseFailed('expecting at least one field in the mapping')
  return mapping
}

const forms = ['to_source', 'to_remote_schema']

/** A definition, in documents or in arguments. */
export function typeDefinitionSchema(dialect: Dialect, isDocument: boolean) {
  const toTable = Type.Object(
    {
      relationship_type: Type.Union([Type.Literal('object'), Type.Literal('array')]),
      source: SourceName,
      table: isDocument ? DocumentTableName : TableName,
      field_mapping: Type.Record(Type.String(), ColumnName, {
        ...{ minProperties: 1, convert: notEmpty },
        examples: [{ author_id: 'id' }],
      }),
    },
    closed,
  )
  const toSource = Type.Object({ to_source: toTable }, closed)
  const toRemoteSchema = Type.Object({ to_remote_schema: definitionSchema(dialect) }, closed)
  const convert = (value: unknown, decodePart: DecodePart): TypeDefinition => {
    const given = isJsonObject(value) ? forms.filter((form) => own(value, form) !== undefined) : []
    if (given.length > 1) throw parseFailed('expecting one of "to_source" and "to_remote_schema", but both are given')
    if (isJsonObject(value) && given.length === 0) {
      throw parseFailed('expecting "to_source" or "to_remote_schema" in the definition')
    }
    const schema: TSchema = given[0] === 'to_source' ? toSource : toRemoteSchema
    return decodePart(schema, value) as TypeDefinition
  }
  return Type.Unsafe<TypeDefinition>(Type.Unknown({ shown: Type.Union([toSource, toRemoteSchema]), convert }))
}

/** The arguments that create and update a relationship. */
export const typeRelationshipArgs = (dialect: Dialect) =>
  Type.Unsafe<TypeRelationshipArgs>(
    Type.Object({
      remote_schema: ObjectName,
      type_name: GraphQLName,
      name: GraphQLName,
      definition: typeDefinitionSchema(dialect, false),
    }),
  )

export const DeleteTypeRelationshipArgs = Type.Object({
  remote_schema: ObjectName,
  type_name: GraphQLName,
  name: GraphQLName,
})

/** A definition in the form of documents; only those of format 3 name the source. */
export function writtenDefinition(
  definition: TypeDefinition,
  { formatVersion, source }: { readonly formatVersion: number; readonly source: string },
): TypeDefinition | object {
  if ('to_source' in definition) {
    const { relationship_type, table, field_mapping } = definition.to_source
    return { to_source: { relationship_type, ...(formatVersion === 3 && { source }), table, field_mapping } }
  }
  const { remote_schema, service_fields: lhs_fields, remote_field } = definition.to_remote_schema
  return { to_remote_schema: { remote_schema, lhs_fields, remote_field } }
}
