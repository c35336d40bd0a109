import { isAdmin } from '../../sdk/index.ts'
import type { Around, EndableWork } from '../../sdk/services.ts'
import { timeExceeded } from './errors.ts'
import { type ApiLimits, limitFor } from './schema.ts'

/** Ends work that takes longer than its role's limit; what the database runs for it is cancelled. */
export const timeLimit =
  ({ time_limit: limits }: ApiLimits): Around<EndableWork> =>
  async (work, run) => {
    const seconds = isAdmin(work.session) ? null : limitFor(limits, work.session.role)
    if (seconds === null) return run()
    const controller = new AbortController()
    const { signal } = controller
    work.signal = work.signal ? AbortSignal.any([work.signal, signal]) : signal
    const timer = setTimeout(() => controller.abort(timeExceeded(seconds)), seconds * 1000)
    try {
      return await run()
    } finally {
      clearTimeout(timer)
    }
  }
