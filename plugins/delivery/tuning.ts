// Numbers found by measurement or judgement; none of them is an option.

/** Seconds: a lease that ends further ahead, or a row created further ahead, dates from before the clock was set back. */
export const longestAhead = 60

/** Bytes as stored that one claim may take beside its first item: the sizes are known without reading the values. */
export const mostClaimedBytes = 2 ** 25

/** Seconds until the next attempt after an unexpected error. */
export const laterSeconds = 60

/** Seconds for which an instance may not know of a trigger that another one created. */
export const unheardSeconds = 60

/** Milliseconds between polls, at least, while notifications arrive. */
export const heardIntervalMillis = 5000

/** Bytes of a response that are read and logged. */
export const keptResponseBytes = 16_384

/** Characters of a request that are logged. */
export const keptRequestCharacters = 262_144

/** Characters of a job name. */
export const longestJobName = 200

/** Trigger names that metrics distinguish; the others share the label `other`. */
export const mostTriggerLabels = 200

/** Milliseconds between runs of a retention job. */
export const retentionIntervalMillis = 10 * 60_000

/** Rows deleted per transaction. */
export const retentionBatch = 5000
