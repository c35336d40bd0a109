// Log lines about sockets and live queries.

import type { GraphQLRequest } from '../../sdk/graphql.ts'
import type { Engine } from '../../sdk/index.ts'
import type { LogLevel } from '../../sdk/services.ts'

/** The outcome of an operation on a socket. */
export type OperationOutcome =
  | { readonly type: 'started' | 'completed' | 'stopped' }
  | { readonly type: 'proto_err'; readonly detail: string }
  | { readonly type: 'query_err'; readonly detail: unknown }

export type SocketEvent =
  | { readonly type: 'accepted' | 'closed' }
  | { readonly type: 'rejected'; readonly detail: unknown }
  | { readonly type: 'conn_err'; readonly detail: string }
  | {
      readonly type: 'operation'
      readonly detail: {
        readonly operation_id: string
        readonly request_id: string | null
        readonly operation_name: string | null
        readonly operation_type: OperationOutcome
        /** Refused operations only. */
        readonly query: GraphQLRequest | null
      }
    }

export interface WebSocketLog {
  readonly event: SocketEvent
  readonly connection_info: {
    readonly websocket_id: string
    readonly token_expiry: string | null
    readonly msg: string | null
  }
  readonly user_vars: Readonly<Record<string, string>> | null
}

const isFailure = (event: SocketEvent): boolean =>
  event.type === 'rejected' ||
  event.type === 'conn_err' ||
  (event.type === 'operation' && ['proto_err', 'query_err'].includes(event.detail.operation_type.type))

/** The level of an event; `status`: that of its error, by default one that the client can correct. */
export function levelOf(
  event: SocketEvent,
  { refusedLevel }: Pick<Engine['dialect'], 'refusedLevel'>,
  status = 400,
): LogLevel {
  if (!isFailure(event)) return 'info'
  return status < 500 ? refusedLevel : 'error'
}

/** The event in a few words. */
export function messageOfEvent(event: SocketEvent): string {
  switch (event.type) {
    case 'accepted':
      return 'websocket opened'
    case 'closed':
      return 'websocket closed'
    case 'rejected':
      return `websocket refused: ${wordsOf(event.detail)}`
    case 'conn_err':
      return `websocket error: ${event.detail}`
    case 'operation': {
      const { operation_id: id, operation_name: name, operation_type: outcome } = event.detail
      const subject = `operation ${id}${name === null ? '' : ` ${name}`}`
      if (outcome.type === 'proto_err' || outcome.type === 'query_err')
        return `${subject} refused: ${wordsOf(outcome.detail)}`
      return `${subject} ${outcome.type}`
    }
  }
}

/** The message of an error in either form. */
function wordsOf(detail: unknown): string {
  const { error, message } = (detail ?? {}) as { readonly error?: unknown; readonly message?: unknown }
  return [error, message, detail].find((each) => typeof each === 'string') ?? JSON.stringify(detail)
}

/** Seconds. */
export interface PollerLog {
  readonly poller_id: string
  readonly snapshot_time: number
  readonly batches: readonly { readonly pg_execution_time: number; readonly push_time: number }[]
  readonly total_time: number
}

/** The means by which writes are followed, logged when it changes. */
export type LiveQueriesLog =
  | { readonly mode: 'changes'; readonly means: 'decoding' }
  | { readonly mode: 'poll'; readonly reason: string | null }

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    'websocket-log': WebSocketLog
    'livequery-poller-log': PollerLog
    'live-queries': LiveQueriesLog
  }
}
