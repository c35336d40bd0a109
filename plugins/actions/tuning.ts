// Numbers of actions, chosen by judgement; none of them is an option.

/** Seconds that the lease of an asynchronous call lasts without being renewed. Calls of a crashed server begin again after at most this. */
export const leaseSeconds = 15

/** Batches of asynchronous calls that may run at once: ten slow handlers do not stop the others. */
export const batchesAtWork = 10

/** Milliseconds between clean-ups of old results, whose age is counted in hours. */
export const cleaningMillis = 600_000

/** Old results deleted per transaction. */
export const cleaningBatch = 1000

/** Bytes of the largest answer: its value is held as a whole. */
export const maxResponseBytes = 16 * 2 ** 20

/** Bytes of an answer that an administrator's error shows. */
export const shownBytes = 16_384

/** Elements of an answer's lists that are checked in one go: less than a millisecond. */
export const itemsPerStep = 500

/** Levels of an answer's lists and objects. Deeper values are certainly not real data. */
export const maxDepth = 500

/** Entries of a page of the log. */
export const mostLogged = 1000

/** Bytes of a page of the log. */
export const mostLoggedBytes = 16 * 2 ** 20
