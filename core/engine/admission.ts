// Who asks to be served, and the way for transports to have them admitted as requests over HTTP are.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Session } from '../session/session.ts'
import type { Wrapping } from './wrapping.ts'

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

/** Serves who is admitted; rejects when a plugin refuses. Routes with a session are admitted before they are called. */
export interface Admission {
  /** Serves a request of another transport. */
  admit<T>(applicant: Applicant, serve: () => Promise<T>): Promise<T>
  /** Serves a request that was admitted, and turned out to hold so many GraphQL operations as a batch. */
  admitBatch<T>(applicant: Applicant, size: number, serve: () => Promise<T>): Promise<T>
}

/** Asks those who stand around requests that are admitted. */
export const admissionBy = (wrapping: Pick<Wrapping, 'admission' | 'batch'>): Admission => ({
  admit: (applicant, serve) => (wrapping.admission ? wrapping.admission(applicant, serve) : serve()),
  admitBatch: (applicant, size, serve) => (wrapping.batch ? wrapping.batch({ applicant, size }, serve) : serve()),
})
