// Work of a session that can be aborted, and batches of operations.

import type { Around } from '../around/around.ts'
import type { Session } from '../session/session.ts'
import type { Applicant } from './applicant.ts'

/** Work that can be aborted. */
export interface EndableWork {
  readonly session: Session
  /**
   * Aborts the work: a running statement is cancelled, and the abort reason becomes the error. A hook that sets it
   * must keep an earlier signal with `AbortSignal.any`.
   */
  signal: AbortSignal | null
}

/** A request that contains several GraphQL operations. */
export interface BatchWork {
  readonly applicant: Applicant
  /** The number of operations. */
  readonly size: number
}

/** Hooks around the admission of requests; null if no plugin has one. */
export interface AdmissionHooks {
  readonly admission: Around<Applicant> | null
  readonly batch: Around<BatchWork> | null
}
