// The body of a GraphQL request.

import { Type } from '@sinclair/typebox'
import { parseFailed } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { isJsonObject, jsonType } from '../../json/json.ts'
import { isGraphQLName } from '../../names/names.ts'

/** A GraphQL request; its text is not parsed yet. */
export interface GraphQLRequest {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>> | null
}

/** The schema that a document is validated against. */
export interface ValidationOptions {
  /** Absent: `admin`. */
  readonly role?: string
  /** Whether fields for trusted callers are included; absent: no. */
  readonly backendOnly?: boolean
}

/** The shape of one request, for descriptions. */
export const GraphQLRequestBody = Type.Object(
  {
    query: Type.String({ examples: ['{ __typename }'] }),
    operationName: Type.Optional(Type.String()),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'GraphQLRequest' },
)

const wrongType = (what: string, expected: string, value: unknown, path: readonly PathKey[]) =>
  parseFailed(`parsing ${what} failed, expected ${expected}, but encountered ${jsonType(value)}`, path)

/** Reads one request object; `parse-failed` when it has another shape. Unknown keys are ignored. */
export function readGraphQLRequest(body: unknown): GraphQLRequest {
  if (!isJsonObject(body)) throw wrongType('Object', 'Object', body, [])
  const query = own(body, 'query')
  if (query === undefined) throw parseFailed("the key 'query' was not present")
  if (typeof query !== 'string') throw wrongType('Text', 'String', query, ['query'])
  return {
    query,
    operationName: operationName(own(body, 'operationName')),
    variables: variables(own(body, 'variables')),
  }
}

const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

function operationName(value: unknown): string | null {
  // Several clients send an empty name for a missing one.
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw wrongType('Text', 'String', value, ['operationName'])
  if (!isGraphQLName(value)) throw parseFailed(`${value} is not a valid GraphQL name`, ['operationName'])
  return value
}

function variables(value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === undefined || value === null) return null
  if (!isJsonObject(value)) throw wrongType('Object', 'Object', value, ['variables'])
  for (const key of Object.keys(value)) {
    if (!isGraphQLName(key)) throw parseFailed(`${key} is not a valid GraphQL name`, ['variables'])
  }
  return value
}
