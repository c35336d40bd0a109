// Numbers found by measurement or judgement; none of them is an option.

/** Seconds: a lease that ends further ahead, or a row created further ahead, dates from before the clock was set back. */
export const longestAhead = 60

/** Bytes as stored that one claim may take beside its first item: the sizes are known without reading the values. */
export const mostClaimedBytes = 2 ** 25

/** Seconds until the next attempt after an unexpected error. */
export const laterSeconds = 60

/** Seconds for which an instance may not know of a trigger that another one created. */
export const unheardSeconds = 60

/** Milliseconds between polls, at least, while no notifications arrive. */
export const unheardIntervalMillis = 10

/** Milliseconds between polls, at least, while notifications arrive. */
export const heardIntervalMillis = 5000

/** Characters that are logged of the message of a function that threw: they are for people. */
export const keptMessageCharacters = 1000

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

/**
 * Milliseconds before the bound of a claim that are read again: the longest time that a transaction takes from its begin to its commit,
 * or a claim to get a connection. A claim reads the events of that time again, so a second costs 0.2 ms at 800 events a second.
 */
export const boundMarginMillis = 1000

/** After a read from the first due event, none begins for this multiple of its duration. */
export const readShare = 20

/**
 * Milliseconds by which a read from the first due event may take longer than a claim from a bound. Beyond, it would delay the claims,
 * so a look beside them takes its place. The round trip to the database is part of both, and does not count.
 */
export const costlyReadMillis = 5

/** Milliseconds from the begin of such a look to the next claim, at least: the claim takes the overlooked events. */
export const besideLookMillis = 100

/** Seconds until a retry, at most: PostgreSQL's timestamps have a maximum, and the settings have none. */
export const longestDelay = 10 ** 9

/** Milliseconds that `test_webhook` waits at most: its client waits too. */
export const testMillis = 10_000

/** Bytes of the answer that `test_webhook` shows; the rest is cut. */
export const testShownBytes = 65_536
