// Who asks to be served, once it is known who that is.

import type { Session } from '../session/session.ts'
import type { RequestHeaders } from './headers.ts'

/** A request that asks to be served. */
export interface Applicant {
  readonly session: Session
  /** The client's headers, lower-case names. */
  readonly headers: RequestHeaders
  /** The other end of the connection: the client, or the proxy in front of the server. */
  readonly address: string
  /** Sets a header of the answer, where the transport has such. */
  setHeader(name: string, value: string): void
}
