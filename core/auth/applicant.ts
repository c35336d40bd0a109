// A request that asks for admission, after its authentication.

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
