// Executes parts of an operation at members, through the transports of their remote schemas.

import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  Kind,
  print,
  typeFromAST,
} from 'graphql'
import { messageOf, toTrellisError } from '../../sdk/index.ts'
import { isJsonObject, isRawNumber } from '../../sdk/services.ts'
import { jsonText, type LocalCall, type RemoteAnswer, type RemoteTransport } from '../remote-schemas/index.ts'
import { readLeaf } from './resolvers.ts'

/** The context of resolvers of a stitched schema. */
export interface StitchedCall extends LocalCall {
  /** The transports of members, by name. */
  readonly transports: ReadonlyMap<string, RemoteTransport>
  /** Errors of members that have no path. The library keeps those only where a value is null. */
  readonly unplaced: GraphQLError[]
}

type Variables = Readonly<Record<string, unknown>>

/** The part of an operation that a member executes. */
interface Part {
  readonly document: DocumentNode
  readonly variables?: Variables | undefined
  readonly operationName?: string | undefined
  readonly operationType?: string | undefined
  readonly context?: StitchedCall | undefined
}

/** The executor of a member. */
export const memberExecutor =
  (name: string, schema: GraphQLSchema) =>
  async ({ document, variables = {}, operationName, operationType, context }: Part): Promise<unknown> => {
    const transport = context?.transports.get(name)
    if (!context || !transport) throw new GraphQLError(`"${name}" is not reached`)
    const { session, headers, signal } = context
    const request = {
      body: jsonText({
        query: print(document),
        variables: withTextIds(variables, document, schema),
        ...(operationName !== undefined && { operationName }),
      }),
      call: { session, headers, signal },
    }
    try {
      if (operationType === 'subscription') return resultsOf(await transport.begin(request))
      const result = resultOf((await transport.send(request)).answer(), context)
      return { ...result, data: withRootLeaves(result.data, document, schema) }
    } catch (error) {
      throw located(error)
    }
  }

/**
 * The variables with identifiers as texts where a double cannot hold them. Members would round the numbers, which are
 * those that another member wrote.
 */
function withTextIds(variables: Variables, document: DocumentNode, schema: GraphQLSchema): Variables {
  const definitions = getOperationAST(document)?.variableDefinitions ?? []
  const changed = definitions.flatMap(({ variable: { name }, type }) => {
    const [given, taken] = [variables[name.value], typeFromAST(schema, type)]
    return holdsRawNumber(given) && isInputType(taken) ? [[name.value, textIds(given, taken)] as const] : []
  })
  return changed.length === 0 ? variables : { ...variables, ...Object.fromEntries(changed) }
}

function holdsRawNumber(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsRawNumber)
  return isRawNumber(value) || (isJsonObject(value) && Object.values(value).some(holdsRawNumber))
}

function textIds(value: unknown, given: GraphQLInputType): unknown {
  const type = getNullableType(given)
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => textIds(item, type.ofType)) : value
  if (isRawNumber(value)) return type.name === 'ID' ? value.rawJSON : value
  if (!isInputObjectType(type) || !isJsonObject(value)) return value
  const fields = type.getFields()
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = fields[name]
      return [name, field ? textIds(member, field.type) : member]
    }),
  )
}

async function* resultsOf(events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) yield event
}

function resultOf({ data, errors }: RemoteAnswer, { unplaced }: StitchedCall): ExecutionResult {
  // Without data, the library reports all errors at the fields that it asked for.
  const isWithoutData = data === null || data === undefined
  const kept = isWithoutData ? errors : errors.filter(hasPath)
  if (!isWithoutData) unplaced.push(...errors.filter((error) => !hasPath(error)).map(unplacedError))
  return (kept.length === 0 ? { data } : { data, errors: kept.map(withoutPlace) }) as ExecutionResult
}

const unplacedError = ({ message, extensions }: RemoteAnswer['errors'][number]): GraphQLError =>
  new GraphQLError(message, isJsonObject(extensions) ? { extensions } : {})

const hasPath = ({ path }: RemoteAnswer['errors'][number]): boolean => Array.isArray(path) && path.length > 0

/**
 * The data with the values of root fields as their scalars take them, and errors for those that do not fit. The library
 * makes null of both.
 */
function withRootLeaves(
  data: ExecutionResult['data'],
  document: DocumentNode,
  schema: GraphQLSchema,
): ExecutionResult['data'] {
  const operation = getOperationAST(document)
  const fields = operation && schema.getRootType(operation.operation)?.getFields()
  if (!data || !fields) return data
  const found = operation.selectionSet.selections.flatMap((node) => {
    const field = node.kind === Kind.FIELD ? fields[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    if (node.kind !== Kind.FIELD || !isLeafType(type)) return []
    const name = (node.alias ?? node.name).value
    const value = readLeaf(type.name, data[name])
    return value === null || value === undefined ? [] : [[name, readable(value, type)]]
  })
  return found.length === 0 ? data : { ...data, ...Object.fromEntries(found) }
}

/** The value, or list of values, with errors in the place of those that the type does not take. */
function readable(value: unknown, type: GraphQLLeafType): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item) => readable(item, type))
  try {
    type.serialize(value)
    return value
  } catch (error) {
    return new GraphQLError(messageOf(error))
  }
}

/** Locations refer to a document that the client never saw. */
const withoutPlace = ({ locations: _, ...error }: RemoteAnswer['errors'][number]) => error

/** The error as graphql-js locates it: an error with a path is taken for one that is located already. */
function located(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error
  const { message, code, extensions } = toTrellisError(error)
  return new GraphQLError(message, { extensions: { code, ...extensions } })
}
