// Numbers found by measurement or judgement; none of them is an option.

/** Milliseconds between two scans of all entries, and while the store does not answer. */
export const scanMillis = 5_000
export const scanRetryMillis = 1_000

/** Milliseconds after which any instance may take a locked entry: the work under the lock takes a few. */
export const lockMillis = 4_000

/** Entries that Agenda queries for at once, so that other statements run in between however many jobs are due. */
export const mostQueries = 4

/** Milliseconds by which a time must be ahead, because Agenda does not store a time that it takes for a past one. */
export const aheadMillis = 20

/** Milliseconds to wait at the end for a store that does not answer: locks are short, and nothing else is lost. */
export const storeCloseMillis = 1_000

/** Milliseconds between two comparisons of the ledger with Agenda's entries. */
export const compareMillis = 15_000

/** Milliseconds until a failed claim is tried again. */
export const retryMillis = 1_000

/** Milliseconds of the default timeout of a job. */
export const defaultTimeoutMillis = 10 * 60_000

/** Milliseconds that an aborted body has to end before it is given up. */
export const abortMillis = 5_000

/** Milliseconds that a stopping server waits for the ends of runs that were given up. */
export const stopMillis = 1_000

/** Characters of a logged error message. */
export const longestMessage = 1000

/** Distinct reasons that are logged while a store does not answer. */
export const mostLoggedReasons = 10

/** Job names that metrics distinguish; the others share one label. */
export const mostJobLabels = 200

/** Characters of a job's name. */
export const longestName = 200
