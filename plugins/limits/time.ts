// Limits the time of GraphQL operations and of metadata operations.

import { badRequest, isAdmin } from '../../sdk/index.ts'
import type { Around, EndableWork } from '../../sdk/services.ts'
import { type ApiLimits, limitFor } from './schema.ts'

/** Aborts work that exceeds its role's time limit, and cancels its SQL statements. */
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

const timeExceeded = (limit: number) =>
  badRequest('time-limit-exceeded', `the request took longer than the time limit of ${limit} s`)
