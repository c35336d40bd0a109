// Work of plugins before a mutation changes tables, such as a question to another server.

import type { MutationList, MutationPlan } from '../../compiler/plan/mutation-plan.ts'
import type { Session } from '../../session/session.ts'
import type { Arguments } from './arguments.ts'
import type { FieldSelection } from './selection.ts'

/** A root field that changes tables. */
export interface GuardedChange {
  readonly field: FieldSelection
  readonly plan: MutationPlan | MutationList
}

/** A request for such a field. */
export interface GuardedRequest {
  /** The arguments of the field. */
  readonly args: Arguments
  readonly session: Session
  /** The client's request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The id of the request; null if no client asked. */
  readonly requestId: string | null
  readonly signal: AbortSignal | null
}

/** Runs before the operation changes anything; its error refuses the whole operation. */
export type ChangeGuard = (request: GuardedRequest) => Promise<void>
