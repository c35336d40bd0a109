// Work of a session that can be ended early, and batches of it.

import type { Around } from '../around/around.ts'
import type { Session } from '../session/session.ts'
import type { Applicant } from './applicant.ts'

/** Work that can be ended early. */
export interface EndableWork {
  readonly session: Session
  /**
   * Ends the work when it aborts: a running statement is cancelled, and the abort reason becomes the error. A function
   * that sets it keeps an earlier signal by `AbortSignal.any`.
   */
  signal: AbortSignal | null
}

/** A request that turned out to hold several GraphQL operations. */
export interface BatchWork {
  readonly applicant: Applicant
  /** Number of operations. */
  readonly size: number
}

/** Functions around the admission of requests; null where no plugin has one. */
export interface AdmissionHooks {
  readonly admission: Around<Applicant> | null
  readonly batch: Around<BatchWork> | null
}
