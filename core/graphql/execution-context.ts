// What running an operation needs: its plan, what the request gives it, and the services that it uses.

import type { BoundInputs } from '../compiler/bind.ts'
import type { Database } from '../database/database.ts'
import type { PathKey } from '../errors/path.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Answer } from './answer.ts'
import type { BoundArguments } from './arguments.ts'
import type { Variables } from './plan-context.ts'
import type { PreparedOperation } from './prepared.ts'
import type { RoleSchema } from './role-schema.ts'

export interface ExecutionContext {
  readonly database: Database
  readonly dialect: Dialect
  readonly session: Session
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly headers: Readonly<Record<string, string>>
  /** Ends the operation when it aborts. */
  readonly signal: AbortSignal | null
  /** Gives what aborts when nobody waits for the answer any more; null where nothing tells. */
  readonly whenUnwanted: (() => AbortSignal) | null
  readonly schema: RoleSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
  /** Values that were bound ahead of running. */
  readonly bound: BoundInputs | undefined
  /** The same of calls; null when there are none. */
  readonly callArguments: BoundArguments | null
  /** An error as the client sees it beside data; one that nobody located is at `path`. */
  readonly encodeError: (error: unknown, path: readonly PathKey[]) => object
  /** Told the headers that calls want the response to have. */
  readonly onHeaders: ((headers: Answer['headers']) => void) | null
}
