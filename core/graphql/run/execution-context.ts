// What running an operation needs: its plan, what the request gives it, and the services that it uses.

import type { BoundInputs } from '../../compiler/run/bind.ts'
import type { Caller } from '../../concurrency/shares.ts'
import type { Database } from '../../database/database.ts'
import type { TrellisError } from '../../errors/errors.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { Session } from '../../session/session.ts'
import type { SessionSettings } from '../../session/session-settings.ts'
import type { PreparedOperation } from '../plan/prepared.ts'
import type { BoundArguments } from '../read/arguments.ts'
import type { Variables } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'

/** What operations need of the database, or of a transaction in its place. */
export type OperationDatabase = Pick<Database, 'answer' | 'change' | 'transaction'>

export interface ExecutionContext {
  readonly database: OperationDatabase
  readonly dialect: Dialect
  readonly session: Session
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly headers: Readonly<Record<string, string>>
  /** Ends the operation when it aborts. */
  readonly signal: AbortSignal | null
  /** Gives what aborts when nobody waits for the answer any more; null where nothing tells. */
  readonly whenUnwanted: (() => AbortSignal) | null
  /** Who asks, and has a share of the connections; null: the server itself. */
  readonly caller: Caller | null
  readonly schema: PlannedSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
  /** Values that were bound ahead of running. */
  readonly bound: BoundInputs | undefined
  /** The same of calls; null when there are none. */
  readonly callArguments: BoundArguments | null
  /** An error as clients may see it. */
  readonly toAnswerable: (error: unknown) => TrellisError
  /** Whether errors beside data show their `internal`. */
  readonly showInternal: boolean
  /** Takes the headers that calls want the response to have. */
  readonly response: ResponseHeaders | null
}

/** What takes headers of a response, such as Fastify's reply. */
export interface ResponseHeaders {
  header(name: string, value: string | readonly string[]): unknown
}
