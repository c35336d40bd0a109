// A call of an action, for webhooks and functions alike.

import type { Session } from '../../../sdk/index.ts'
import type { OutgoingHeaders } from '../../../sdk/services.ts'
import type { ActionModel } from '../metadata.ts'

export interface HandlerCall {
  readonly action: ActionModel
  /** The given arguments. */
  readonly input: Readonly<Record<string, unknown>>
  readonly session: Session
  /** The client's headers that the action forwards. */
  readonly clientHeaders: OutgoingHeaders
  /** The text of the GraphQL request; null for asynchronous calls. */
  readonly requestQuery: string | null
  /** The id of the client's request; null for asynchronous calls. */
  readonly requestId: string | null
  /** The id of an asynchronous call. */
  readonly id: string | null
  readonly signal: AbortSignal | null
}

/** A handler's answer: a value of the action's type. */
export interface HandlerAnswer {
  readonly value: unknown
  /** Response headers for the client. */
  readonly cookies: readonly string[]
}
