// Requests that ask for admission, and work that can be aborted.

import type { Around } from '../around/around.ts'
import type { Session } from '../session/session.ts'
import type { RequestHeaders } from './headers.ts'

/** A request that asks for admission. */
export interface Applicant {
  readonly session: Session
  /** The client's headers, names in lower case. */
  readonly headers: RequestHeaders
  /** The peer of the connection: the client, or the proxy in front of the server. */
  readonly address: string
  /** Sets a header of the response, if the transport has headers. */
  setHeader(name: string, value: string): void
}

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
