// Refuses requests of clients that exceed their rate limit.

import { createHash } from 'node:crypto'
import { type Applicant, clientNetwork } from '../../sdk/http.ts'
import { isAdmin, TrellisError } from '../../sdk/index.ts'
import type { Surroundings } from '../../sdk/services.ts'
import { type ApiLimits, limitFor, type RateLimit } from '../limits/schema.ts'
import { maxKey } from './tuning.ts'
import { SlidingWindows } from './windows.ts'

/**
 * Counts each request, and each operation of a batch. `proxies` is the number of proxies that add to
 * `X-Forwarded-For`.
 */
export function rateLimit(
  limits: NonNullable<ApiLimits['rate_limit']>,
  proxies: number,
  windows = new SlidingWindows(),
): Pick<Surroundings, 'admission' | 'batch'> {
  const count = (applicant: Applicant, weight: number) => {
    const { session } = applicant
    const limit = isAdmin(session) ? null : limitFor(limits, session.role)
    if (limit === null) return
    const wait = windows.take(keyOf(limit, applicant, proxies), limit.max_reqs_per_min, weight)
    if (wait !== null) throw refused(applicant, limit, Math.ceil(wait / 1000))
  }
  return {
    async admission(applicant, run) {
      count(applicant, 1)
      return run()
    },
    async batch({ applicant, size }, run) {
      if (size > 1) count(applicant, size - 1)
      return run()
    },
  }
}

function keyOf({ unique_params: parameters }: RateLimit, applicant: Applicant, proxies: number): string {
  const { session } = applicant
  const parts = [session.role]
  if (typeof parameters === 'string') parts.push(clientNetwork(applicant, proxies))
  else for (const name of parameters ?? []) parts.push(session.variables[name.toLowerCase()] ?? '')
  const key = JSON.stringify(parts)
  return key.length <= maxKey ? key : createHash('sha256').update(key).digest('base64')
}

function refused(applicant: Applicant, { max_reqs_per_min: limit }: RateLimit, seconds: number): TrellisError {
  applicant.setHeader('retry-after', String(seconds))
  const message = `the rate limit of ${limit} requests per minute is exceeded, try again in ${seconds} s`
  return new TrellisError(429, 'rate-limit-exceeded', message)
}
