// Numbers of queues, found by measurement or judgement; none of them is an option. `npm run bench -- --only deliveries` shows the effect
// of prefetch, watch and recorded batches: the rate of a burst, the latency of single events, and the cost of inserts.

/** Seconds that a lease lasts without being renewed. A crashed worker delays its items by at most this. */
export const leaseSeconds = 30

/** Characters of leased items beyond which nothing is claimed: each takes several bytes while it is sent. */
export const mostLeasedCharacters = 2 ** 27

/** Outcomes waiting to be recorded beyond which nothing is claimed. */
export const mostUnrecorded = 1000

/** Milliseconds that a worker rests after the database failed; doubled up to the longest. */
export const firstRestMillis = 500
export const longestRestMillis = 15_000

/** Milliseconds that a busy worker waits for more room before it claims for little. */
export const roomMillis = 20

/** Batches that may be prefetched at most: the next items are there before the last ones begin, even if the database is busy. */
export const prefetchedBatches = 3

/** Milliseconds whose number of ended deliveries limits the prefetch. */
export const prefetchWindowMillis = 100

/** Milliseconds after which a prefetched item is released. */
export const prefetchMillis = 1000

/** Milliseconds that an announcement to watch lasts; it is repeated when fewer than `rewatchMillis` are left. */
export const watchMillis = 2000
export const rewatchMillis = 1000

/** A worker watches when it finds this many items in a window of this many milliseconds. */
export const watchThreshold = 20
export const watchWindowMillis = 200

/** Milliseconds between polls of a watching worker: after one that found items, and at most. Each pause is `pollGrowth` times the last. */
export const shortestPollMillis = 5
export const longestPollMillis = 135
export const pollGrowth = 3

/** Milliseconds from the end of an announcement to the late polls, which find transactions that skipped the notification. */
export const lateLookMillis = [500, 2500] as const

/** Outcomes per statement. */
export const outcomesPerWrite = 200

/** Milliseconds between attempts to record; doubled up to the longest. */
export const firstRetryMillis = 100
export const longestRetryMillis = 5000

/** Milliseconds by which due times are rounded up, so that close ones share a poll. */
export const dueTimeGrainMillis = 50

/** Milliseconds beyond which a due time is not remembered: polls find those items. */
export const dueTimeHorizonMillis = 3_600_000

/** Renewals within the time that a lease lasts: two may fail before it expires. */
export const renewalsPerLease = 3

/** Full batches in a row that mean a backlog, as in servers of v1.3. */
export const fullBatches = 3

/** Milliseconds from when the server is ready until workers begin. */
export const afterStartMillis = 100

/** Bytes of a page of rows: it is in memory at once. */
export const mostPageBytes = 67_108_864
