// Operations of the metadata API, and requests of GraphQL.

import type { Identity } from '../requests/identity.ts'
import { recordEdit } from '../requests/log.ts'
import { type Answer, send } from '../requests/send.ts'
import { isEditing, isRepeatable, type Operation } from './editing.ts'

export type { Operation } from './editing.ts'

interface RunOptions {
  /** Absent: the administrator. */
  readonly as?: Identity
  readonly signal?: AbortSignal | undefined
  /** The version of the metadata that an edit is based on: the server refuses it with 409 once there is another. */
  readonly basedOn?: number
  readonly version?: number
  /** The id of the request; absent: the server gives one. */
  readonly id?: string
  /** Whether the page repeats it by itself. */
  readonly isRepeated?: boolean
}

/** Runs one operation; answers its result, with the text as it came. */
export async function exchange<T>(
  type: string,
  args: unknown,
  { as, signal, basedOn, version, id, isRepeated = false }: RunOptions = {},
): Promise<Answer<T>> {
  const operation = { type, ...(version !== undefined && { version }), args }
  const isEdit = isEditing(operation)
  const answer = await send<T>({
    ...{ name: type, isEdit, isRepeated, signal },
    // Operations on rows are for every role; the other endpoint has all operations, for administrators.
    path: as && as.role !== null ? 'v1/query' : 'v1/metadata',
    body: basedOn === undefined ? operation : { ...operation, resource_version: basedOn },
    ...(as && { as }),
    ...(id !== undefined && { id }),
  })
  if (isEdit && isRepeatable(operation)) recordEdit(operation)
  return answer
}

/** Runs one operation; answers its result. */
export async function run<T = unknown>(type: string, args: unknown = {}, options: RunOptions = {}): Promise<T> {
  const { body } = await exchange<T>(type, args, options)
  return body
}

/** Runs operations in one transaction; answers their results. */
export async function runAll(
  operations: readonly Operation[],
  options: Pick<RunOptions, 'basedOn' | 'signal'> = {},
): Promise<readonly unknown[]> {
  const [only] = operations
  if (operations.length === 1 && only) {
    const { type, args, version } = only
    return [await run(type, args, { ...options, ...(version !== undefined && { version }) })]
  }
  return run<readonly unknown[]>('bulk', operations, options)
}

interface GraphqlAnswer<T> {
  readonly data?: T | null
  readonly errors?: readonly { readonly message: string }[]
}

/** Sends a GraphQL operation as an identity. The errors of GraphQL are part of the answer. */
export function graphql<T = unknown>(
  { query, variables, operationName }: { query: string; variables?: unknown; operationName?: string },
  { as, signal }: Pick<RunOptions, 'as' | 'signal'> = {},
): Promise<Answer<GraphqlAnswer<T>>> {
  return send<GraphqlAnswer<T>>({
    ...{ name: operationName ?? 'graphql', path: 'v1/graphql', signal },
    body: { query, ...(variables !== undefined && { variables }), ...(operationName && { operationName }) },
    isEdit: /(?:^|[\s}])mutation\b/.test(query),
    ...(as && { as }),
  })
}
