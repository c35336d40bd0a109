// Types that the arguments of many operations share, as they decode.

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

/** The same in a document, where what else it says would be lost. */
export const DocumentTableName = tableName('DocumentTableName', { additionalProperties: false })

/** A name of a metadata object: any text but the empty one. */
export const ObjectName = Type.String({ minLength: 1 })

/** The database's name of a column. */
export const ColumnName = Type.String({ examples: ['id'] })

const graphqlName = (value: string): string => {
  if (isGraphQLName(value)) return value
  throw parseFailed(`${JSON.stringify(value)} is not a valid GraphQL name`)
}

/** A name that appears in the GraphQL schema as it is. */
export const GraphQLName = Type.String({
  convert: graphqlName,
  shown: Type.String({ pattern: graphqlNamePattern }),
})

/** The arguments of an operation that takes none. */
export const NoArguments = Type.Union([Type.Object({}), Type.Null()], { tolerated: Type.Unknown() })

/** A JSON object that is stored as given: a boolean expression, presets. */
export const VerbatimObject = Type.Unsafe<Record<string, unknown>>(Type.Record(Type.String(), Type.Unknown()))
