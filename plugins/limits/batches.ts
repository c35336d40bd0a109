import type { AdmissionChecks } from '../../sdk/http.ts'
import { isAdmin } from '../../sdk/index.ts'
import { batchExceeded } from './errors.ts'
import { type ApiLimits, limitFor } from './schema.ts'

/** Refuses whole batches that hold too many operations. */
export const batchLimit = ({ batch_limit: limits }: ApiLimits): AdmissionChecks => ({
  batch({ session }, size) {
    if (isAdmin(session)) return
    const limit = limitFor(limits, session.role)
    if (limit !== null && size > limit) throw batchExceeded(size, limit)
  },
})
