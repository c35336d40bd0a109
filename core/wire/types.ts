// Types that the arguments of many operations share.

import { type ObjectOptions, Type } from '@sinclair/typebox'
import { parseFailed } from '../errors/errors.ts'
import { graphqlNamePattern, isGraphQLName, type QualifiedName } from '../names/names.ts'

const qualifiedName = (value: string | { schema?: string; name: string }): QualifiedName =>
  typeof value === 'string' ? { schema: 'public', name: value } : { schema: value.schema ?? 'public', name: value.name }

function tableName(title: string, options: ObjectOptions) {
  const parts = Type.Object(
    { schema: Type.Optional(Type.String()), name: Type.String() },
    { ...options, missingKey: 'A' },
  )
  return Type.Unsafe<QualifiedName>(
    Type.Union([Type.String(), parts], {
      title,
      examples: ['invoice', { schema: 'crm', name: 'lead' }],
      message: 'expecting a string/object for QualifiedObject',
      convert: qualifiedName,
    }),
  )
}

/** The name of a table or function: a string in schema `public`, or `{schema?, name}`; decodes to the latter. */
export const TableName = tableName('TableName', {})

/** The same in a metadata document, which refuses other keys because they would be lost. */
export const DocumentTableName = tableName('DocumentTableName', { additionalProperties: false })

/** The name of a metadata object: any text that is not empty. */
export const ObjectName = Type.String({ minLength: 1 })

/**
 * The name of the source as an argument. Any operation accepts it, and core removes it before the handler runs; declaring
 * it shows it in descriptions of the API.
 */
export const SourceName = Type.Optional(Type.String({ examples: ['default'] }))

/** The name of a column in the database. */
export const ColumnName = Type.String({ examples: ['id'] })

const graphqlName = (value: string): string => {
  if (isGraphQLName(value)) return value
  throw parseFailed(`${JSON.stringify(value)} is not a valid GraphQL name`)
}

/** A name that appears unchanged in the GraphQL schema. */
export const GraphQLName = Type.String({
  convert: graphqlName,
  shown: Type.String({ pattern: graphqlNamePattern }),
})

/** The arguments of an operation without arguments. */
export const NoArguments = Type.Union([Type.Object({}), Type.Null()], { tolerated: Type.Unknown() })

/** A JSON object that is stored unchanged, such as a boolean expression or presets. */
export const VerbatimObject = Type.Unsafe<Record<string, unknown>>(Type.Record(Type.String(), Type.Unknown()))
