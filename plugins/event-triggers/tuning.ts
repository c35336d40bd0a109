// Numbers found by measurement or judgement; none of them is an option. `npm run bench -- --only held` shows the effect
// of bounds and searches while a snapshot is held. The row N9 of the bench shows that of shares beside a slow webhook.

/** Milliseconds between polls if no trigger could write an event. */
export const longestPollMillis = 60_000

/** Milliseconds until the next look at an event that waits for a locked one: such locks last for moments. */
export const waitingPollMillis = 50

/** Seconds until an event may be claimed again that was claimed when its trigger was paused. */
export const pausedSeconds = 1

/** Milliseconds between claims, at most, while a trigger has more due events than its share of the pool has room for. */
export const sharePollMillis = 20

/** Events in flight of a trigger, as a multiple of the free room of the pool: with 3, a busy trigger leaves a quarter free. */
export const timesOfFree = 3

/** Milliseconds between runs of the unpark job; doubled up to the longest. */
export const shortestUnparkMillis = 1000
export const longestUnparkMillis = 60_000

/** Milliseconds after which the warning about events of a trigger that is not served is repeated. */
export const repeatWarningMillis = 60_000

/** Attempts to archive after the removal of a trigger, and milliseconds in between, times the number of the attempt. */
export const archiveAttempts = 10
export const archivePauseMillis = 100

/** Bytes of an ordering key: a longer one is stored as its digest, because an index entry holds hardly twice as many. */
export const longestKey = 1000

/** Characters of a request's id in the log. */
export const longestRequestId = 200

/** Entries of a page of the logs. */
export const mostRead = 10_000

/** The attempts of an event in its timeline, the last ones. */
export const mostAttempts = 100

/** The period in which the events of a request are looked for, unless told otherwise. */
export const dayMillis = 86_400_000

/** Events that one request redelivers: it locks them while it runs. */
export const mostRedelivered = 10_000

/** Buckets of an answer of `get_event_stats`. */
export const mostBuckets = 1000
