// The shapes of relationships from remote types: `{"to_source": …}` leads to rows of a table, `{"to_remote_schema": …}` to a field
// of a remote schema.

import { type Dialect, parseFailed, type TSchema, Type } from '../../sdk/index.ts'
import { type DecodePart, GraphQLName, ObjectName, own } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { definitionSchema, type RemoteRelationshipDefinition } from './schema.ts'
import { type ToTableDefinition, toTableSchema, writtenToTable } from './to-table.ts'

/** The definition of a relationship from a remote type. */
export type TypeDefinition = ToTableDefinition | { to_remote_schema: RemoteRelationshipDefinition }

/** The arguments of `create_remote_schema_remote_relationship` and its counterpart for updates. */
export interface TypeRelationshipArgs {
  remote_schema: string
  type_name: string
  name: string
  definition: TypeDefinition
}

const closed = { additionalProperties: false }

const forms = ['to_source', 'to_remote_schema']

/** A definition, in documents or in arguments. */
export function typeDefinitionSchema(dialect: Dialect, isDocument: boolean) {
  const toSource = toTableSchema(isDocument)
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
  form: { readonly formatVersion: number; readonly source: string },
): TypeDefinition | object {
  if ('to_source' in definition) {
    const { source: _, ...toTable } = definition.to_source
    return writtenToTable({ to_source: toTable }, form)
  }
  const { remote_schema, service_fields: lhs_fields, remote_field } = definition.to_remote_schema
  return { to_remote_schema: { remote_schema, lhs_fields, remote_field } }
}
