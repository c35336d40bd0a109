// How long an answer holds: `Cache-Control`, else `Expires`.

/** When an answer ceases to hold. */
export interface Freshness {
  /** Milliseconds since 1970; null: not said. */
  readonly expiresAt: number | null
  /** What was said and could not be understood. */
  readonly problems: readonly string[]
}

const age = /(?:^|[\s,;])(?:s-maxage|max-age)\s*=\s*"?(\d+)"?/i
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Reads both headers; the first that can be understood decides. `now` is in milliseconds since 1970. */
export function freshnessOf(cacheControl: string | undefined, expires: string | undefined, now: number): Freshness {
  const problems: string[] = []
  if (cacheControl !== undefined) {
    const seconds = age.exec(cacheControl)?.[1]
    if (seconds !== undefined) return { expiresAt: now + Number(seconds) * 1000, problems }
    problems.push('Cache-Control holds neither max-age nor s-maxage')
  }
  if (expires !== undefined) {
    const time = httpDate.test(expires) ? Date.parse(expires) : Number.NaN
    if (!Number.isNaN(time)) return { expiresAt: time, problems }
    problems.push('Expires is not a date such as Mon, 30 Mar 2020 13:25:18 GMT')
  }
  return { expiresAt: null, problems }
}
