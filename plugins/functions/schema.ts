// The wire format of tracked functions, in arguments and in the document.

import { badRequest, parseFailed, type QualifiedName, type TProperties, Type } from '../../sdk/index.ts'
import { DocumentTableName, decode, GraphQLName, ObjectName, TableName } from '../../sdk/metadata.ts'

/** Names that replace the generated ones, and the argument that is given the session. */
export interface FunctionConfiguration {
  custom_name?: string
  custom_root_fields?: { function?: string; function_aggregate?: string }
  session_argument?: string
  exposed_as?: 'query'
}

/** One tracked function. */
export interface FunctionEntry {
  function: QualifiedName
  configuration?: FunctionConfiguration
  /** The roles that may call it, of those that may select its rows; absent: all of them. */
  permissions?: { role: string }[]
  comment?: string
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    functions: FunctionEntry[]
  }
}

export const FunctionName: typeof TableName = { ...TableName, title: 'FunctionName', examples: ['search_books'] }

const DocumentFunctionName = { ...DocumentTableName, title: 'DocumentFunctionName', examples: ['search_books'] }

/** Leaves out keys without effect. */
function canonical({ function: name, configuration = {}, permissions = [], comment }: FunctionEntry): FunctionEntry {
  const { custom_root_fields: fields = {}, ...given } = configuration
  const kept = { ...given, ...(Object.keys(fields).length > 0 && { custom_root_fields: fields }) }
  return {
    function: name,
    ...(Object.keys(kept).length > 0 && { configuration: kept }),
    ...(permissions.length > 0 && { permissions }),
    ...(comment !== undefined && { comment }),
  }
}

function refuseRepeatedNames(fields: NonNullable<FunctionConfiguration['custom_root_fields']>) {
  const { function: rows, function_aggregate: aggregate } = fields
  if (rows === undefined || rows !== aggregate) return fields
  throw parseFailed(`the following custom root field names are duplicated: "${rows}"`)
}

function refuseMutation(root: 'query' | 'mutation'): 'query' {
  if (root === 'query') return root
  throw badRequest('not-supported', 'functions cannot be exposed as mutations')
}

/** A document may hold no unknown keys in either dialect. */
function entrySchema(document: boolean) {
  const closed = document ? { additionalProperties: false } : {}
  const objectOf = (properties: TProperties, options = {}) => Type.Object(properties, { ...closed, ...options })
  const names = { function: Type.Optional(GraphQLName), function_aggregate: Type.Optional(GraphQLName) }
  const exposed = Type.Union([Type.Literal('query'), Type.Literal('mutation')], {
    convert: refuseMutation,
    shown: Type.Literal('query'),
  })
  const configuration = objectOf({
    custom_name: Type.Optional(GraphQLName),
    custom_root_fields: Type.Optional(objectOf(names, { convert: refuseRepeatedNames })),
    session_argument: Type.Optional(Type.String()),
    exposed_as: Type.Optional(exposed),
  })
  const entry = {
    function: document ? DocumentFunctionName : FunctionName,
    configuration: Type.Optional(configuration),
    permissions: Type.Optional(Type.Array(objectOf({ role: ObjectName }))),
    comment: Type.Optional(Type.String()),
  }
  return Type.Unsafe<FunctionEntry>(objectOf(entry, { missingKey: 'A', convert: canonical }))
}

const nameAlone = (name: typeof TableName) =>
  Type.Unsafe<FunctionEntry>({
    ...name,
    convert: (given: unknown): FunctionEntry => ({ function: decode(FunctionName, given) }),
  })

/** The arguments of `track_function`: a function's name alone. */
export const TrackFunctionArgs = nameAlone(FunctionName)

export const TrackFunctionV2Args = entrySchema(false)

/** `functions` of a document of format 1, and of format 2. */
export const documentSchemas = {
  names: Type.Array(nameAlone(DocumentFunctionName)),
  entries: Type.Array(entrySchema(true)),
}
