// The way for transports to have requests admitted as those over HTTP are.

import type { Applicant } from '../auth/applicant.ts'
import type { AdmissionHooks } from '../auth/endable.ts'

/** Serves who is admitted; rejects when a plugin refuses. Routes with a session are admitted before they are called. */
export interface Admission {
  /** Serves a request of another transport. */
  admit<T>(applicant: Applicant, serve: () => Promise<T>): Promise<T>
  /** Serves a request that was admitted, and turned out to hold so many GraphQL operations as a batch. */
  admitBatch<T>(applicant: Applicant, size: number, serve: () => Promise<T>): Promise<T>
}

/** Asks those who stand around requests that are admitted. */
export const admissionBy = (hooks: AdmissionHooks): Admission => ({
  admit: (applicant, serve) => (hooks.admission ? hooks.admission(applicant, serve) : serve()),
  admitBatch: (applicant, size, serve) => (hooks.batch ? hooks.batch({ applicant, size }, serve) : serve()),
})
