// The way for transports to have requests admitted as those over HTTP are.

import type { Applicant } from '../auth/applicant.ts'
import type { Wrapping } from './wrapping.ts'

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
