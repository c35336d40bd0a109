// Refuses requests of clients that exceed their rate limit.

import { createHash } from 'node:crypto'
import { type Applicant, clientNetwork } from '../../sdk/http.ts'
import { isAdmin, TrellisError } from '../../sdk/index.ts'
import type { BatchWork, Surroundings } from '../../sdk/services.ts'
import type { EffectiveLimits } from '../limits/index.ts'
import type { RateLimit } from '../limits/schema.ts'
import type { Windows } from './shared-windows.ts'
import { maxKey } from './tuning.ts'
import { SlidingWindows } from './windows.ts'

/**
 * Counts each request, and each operation of a batch. `proxies` is the number of proxies that add to
 * `X-Forwarded-For`.
 */
export function rateLimit(
  limits: EffectiveLimits,
  proxies: number,
  windows: Windows = new SlidingWindows(),
): Pick<Surroundings, 'admission' | 'batch'> {
  const ratesOf = ({ session }: Applicant) => (isAdmin(session) ? none : limits.of(session.role).rates)
  // All limits are asked before one counts: a request that one of them refuses uses up nothing of the others.
  const counted = async <T>({ applicant, size }: BatchWork, run: () => Promise<T>): Promise<T> => {
    const asked = ratesOf(applicant).map((limit, i) => ({ limit, client: keyOf(limit, i, { applicant, proxies }) }))
    // A batch was admitted as one request, before its size was known. It is counted as a whole instead.
    if (size > 1) for (const { client } of asked) windows.add(client, -1)
    for (const { limit, client } of asked) {
      const wait = windows.waitFor(client, limit.max_reqs_per_min, size)
      if (wait > 0) throw refused(applicant, limit, Math.ceil(wait / 1000))
    }
    for (const { client } of asked) windows.add(client, size)
    return run()
  }
  return {
    admission: (applicant, run) => (ratesOf(applicant).length === 0 ? run() : counted({ applicant, size: 1 }, run)),
    batch: (work, run) => (work.size > 1 ? counted(work, run) : run()),
  }
}

const none: readonly RateLimit[] = []

/** The limits of a role count apart: each has a place among them. */
function keyOf(
  { unique_params: parameters }: RateLimit,
  place: number,
  { applicant, proxies }: { readonly applicant: Applicant; readonly proxies: number },
): string {
  const { session } = applicant
  const parts = [String(place), session.role]
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
