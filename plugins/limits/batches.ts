import { isAdmin } from '../../sdk/index.ts'
import type { Around, BatchWork } from '../../sdk/services.ts'
import { batchExceeded } from './errors.ts'
import { type ApiLimits, limitFor } from './schema.ts'

/** Refuses whole batches that hold too many operations. */
export const batchLimit =
  ({ batch_limit: limits }: ApiLimits): Around<BatchWork> =>
  async ({ applicant: { session }, size }, run) => {
    const limit = isAdmin(session) ? null : limitFor(limits, session.role)
    if (limit !== null && size > limit) throw batchExceeded(size, limit)
    return run()
  }
