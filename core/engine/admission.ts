// Lets other transports request admission as HTTP does.

import type { Applicant } from '../auth/applicant.ts'
import type { AdmissionHooks } from '../auth/endable.ts'

/** Runs the admission hooks; rejects if a plugin refuses. Routes with a session are admitted before they are called. */
export interface Admission {
  /** Admits and serves a request of another transport. */
  admit<T>(applicant: Applicant, serve: () => Promise<T>): Promise<T>
  /** Serves an admitted request that contains this number of GraphQL operations. */
  admitBatch<T>(applicant: Applicant, size: number, serve: () => Promise<T>): Promise<T>
}

/** Creates the service for these hooks. */
export const admissionBy = (hooks: AdmissionHooks): Admission => ({
  admit: (applicant, serve) => (hooks.admission ? hooks.admission(applicant, serve) : serve()),
  admitBatch: (applicant, size, serve) => (hooks.batch ? hooks.batch({ applicant, size }, serve) : serve()),
})
