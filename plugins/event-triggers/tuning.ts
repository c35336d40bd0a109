// Numbers found by measurement or judgement; none of them is an option.

/** Milliseconds between polls if no trigger could write an event. */
export const longestPollMillis = 60_000

/** Milliseconds until the next look at an event that waits for a locked one: such locks last for moments. */
export const waitingPollMillis = 50

/** Seconds until an event may be claimed again that was claimed when its trigger was paused. */
export const pausedSeconds = 1

/** Milliseconds before a scan mark that are read again: a transaction may take so long from its begin to its commit. */
export const markMarginMillis = 1000

/** A scan mark is valid for so many milliseconds, or for so many times as long as the scan took. */
export const shortestMarkMillis = 1000
export const markReadTimes = 20

/** Milliseconds between runs of the unpark job; doubled up to the longest. */
export const shortestUnparkMillis = 1000
export const longestUnparkMillis = 60_000

/** Milliseconds after which the warning about events of a trigger that is not served is repeated. */
export const repeatWarningMillis = 60_000

/** Attempts to archive after the removal of a trigger, and milliseconds in between, times the number of the attempt. */
export const archiveAttempts = 10
export const archivePauseMillis = 100
