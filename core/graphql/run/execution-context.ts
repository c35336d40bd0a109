// The context of running an operation: its plan, the request's values, and the services that it uses.

import type { Around } from '../../around/around.ts'
import type { BoundInputs } from '../../compiler/run/bind.ts'
import type { Caller } from '../../concurrency/shares.ts'
import type { Database } from '../../database/database.ts'
import type { OwnTransaction, Transaction } from '../../database/transaction.ts'
import type { TrellisError } from '../../errors/errors.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { Session } from '../../session/session.ts'
import type { SessionSettings } from '../../session/session-settings.ts'
import type { PreparedOperation } from '../plan/prepared.ts'
import type { BoundArguments } from '../read/arguments.ts'
import type { Variables } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import type { GraphQLRequest } from '../read/request.ts'
import type { ChangeWork } from '../works.ts'

/** The parts of the database that operations use; a transaction can replace it. */
export type OperationDatabase = Pick<Database, 'answer' | 'change' | 'transaction'>

export interface ExecutionContext {
  readonly database: OperationDatabase
  readonly dialect: Dialect
  readonly session: Session
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  /** The id of the request; null if no client asked. */
  readonly requestId: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Cancels the operation when it aborts. */
  readonly signal: AbortSignal | null
  /** Returns a signal that aborts when the client is gone; null if that cannot be detected. */
  readonly whenUnwanted: (() => AbortSignal) | null
  /** The client, for its share of the connections; null: the server itself. */
  readonly caller: Caller | null
  /** Whether the session may only read, so that functions run in read-only transactions. */
  readonly readOnly: boolean | undefined
  readonly schema: PlannedSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
  /** Values that were bound before running. */
  readonly bound: BoundInputs | undefined
  /** The bound arguments of calls; null when the operation has no calls. */
  readonly callArguments: BoundArguments | null
  /** An error as clients may see it. */
  readonly toAnswerable: (error: unknown) => TrellisError
  /** Whether errors beside data show their `internal`. */
  readonly showInternal: boolean
  /** Receives the response headers that calls set. */
  readonly response: ResponseHeaders | null
  /** The hook around the transactions of a mutation; null if no plugin has one. */
  readonly change: Around<ChangeWork> | null
  /** Null for subscriptions. */
  readonly request: GraphQLRequest | null
}

/** A receiver of response headers, such as Fastify's reply. */
export interface ResponseHeaders {
  header(name: string, value: string | readonly string[]): unknown
}

/** The database of an operation within a transaction that its caller begins and ends. */
export function withinTransaction(transaction: Transaction): OperationDatabase {
  const part: OwnTransaction = {
    rows: (text, values) => transaction.rows(text, values),
    bytes: (statement, values) => transaction.bytes(statement, values),
    lastBytes: (statement, values) => transaction.bytes(statement, values),
    texts: (statement, values) => transaction.texts(statement, values),
    script: (text, most) => transaction.script(text, most),
  }
  return { answer: part.bytes, change: part.bytes, transaction: (work) => work(part) }
}
