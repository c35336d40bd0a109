// A call of an action, whoever answers it.

import type { Session } from '../../sdk/index.ts'
import type { OutgoingHeaders } from '../../sdk/services.ts'
import type { ActionModel } from './metadata.ts'

export interface HandlerCall {
  readonly action: ActionModel
  /** The arguments that were given. */
  readonly input: Readonly<Record<string, unknown>>
  readonly session: Session
  /** The client's headers that the action forwards. */
  readonly clientHeaders: OutgoingHeaders
  /** The text of the GraphQL request; null where nobody waits for the answer. */
  readonly requestQuery: string | null
  /** Of an asynchronous call. */
  readonly id: string | null
  readonly signal: AbortSignal | null
}

/** What a handler answered: a value of the action's type. */
export interface HandlerAnswer {
  readonly value: unknown
  /** Headers for the client. */
  readonly cookies: readonly string[]
}
