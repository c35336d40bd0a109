// The wire format of tracked functions, in arguments and in the document.

import { type ObjectOptions, parseFailed, type QualifiedName, Type } from '../../sdk/index.ts'
import { DocumentTableName, decode, GraphQLName, ObjectName, TableName } from '../../sdk/metadata.ts'

/** The root type that has a function's field. */
export type FunctionRoot = 'query' | 'mutation'

/** Names that replace the generated ones, and the argument that is given the session. */
export interface FunctionConfiguration {
  custom_name?: string
  custom_root_fields?: { function?: string; function_aggregate?: string }
  session_argument?: string
  exposed_as?: FunctionRoot
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
  return {
    function: name,
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(permissions.length > 0 && { permissions }),
    ...(comment !== undefined && { comment }),
  }
}

function refuseRepeatedNames(fields: NonNullable<FunctionConfiguration['custom_root_fields']>) {
  const { function: rows, function_aggregate: aggregate } = fields
  if (rows === undefined || rows !== aggregate) return fields
  throw parseFailed(`the following custom root field names are duplicated: "${rows}"`)
}

function configurationSchema(closed: ObjectOptions) {
  const names = { function: Type.Optional(GraphQLName), function_aggregate: Type.Optional(GraphQLName) }
  const fields = Type.Object(names, { ...closed, convert: refuseRepeatedNames })
  return Type.Object(
    {
      custom_name: Type.Optional(GraphQLName),
      custom_root_fields: Type.Optional(fields),
      session_argument: Type.Optional(Type.String()),
      exposed_as: Type.Optional(Type.Union([Type.Literal('query'), Type.Literal('mutation')])),
    },
    { ...closed, laterKeys: ['response'] },
  )
}

/** A document may hold no unknown keys in either dialect. */
function entrySchema(document: boolean) {
  const closed = document ? { additionalProperties: false } : {}
  const entry = {
    function: document ? DocumentFunctionName : FunctionName,
    configuration: Type.Optional(configurationSchema(closed)),
    permissions: Type.Optional(Type.Array(Type.Object({ role: ObjectName }, closed))),
    comment: Type.Optional(Type.String()),
  }
  return Type.Unsafe<FunctionEntry>(Type.Object(entry, { ...closed, missingKey: 'A', convert: canonical }))
}

const nameAlone = (name: typeof TableName) =>
  Type.Unsafe<FunctionEntry>({
    ...name,
    convert: (given: unknown): FunctionEntry => ({ function: decode(FunctionName, given) }),
  })

/** The arguments of `create_function_permission` and `drop_function_permission`. */
export const FunctionPermissionArgs = Type.Object({ function: FunctionName, role: ObjectName })

/** The arguments of `set_function_customization`. */
export const FunctionCustomizationArgs = Type.Unsafe<Pick<FunctionEntry, 'function' | 'configuration'>>(
  Type.Object(
    { function: FunctionName, configuration: Type.Optional(configurationSchema({})) },
    {
      convert: ({ function: name, configuration }: FunctionEntry) =>
        canonical({ function: name, ...(configuration && { configuration }) }),
    },
  ),
)

/** The arguments of `track_function`: a function's name alone. */
export const TrackFunctionArgs = nameAlone(FunctionName)

export const TrackFunctionV2Args = entrySchema(false)

/** `functions` of a document of format 1, and of format 2. */
export const documentSchemas = {
  names: Type.Array(nameAlone(DocumentFunctionName)),
  entries: Type.Array(entrySchema(true)),
}
