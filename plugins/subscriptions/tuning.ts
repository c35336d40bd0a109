// Numbers found by measurement or judgement; none of them is an option.

/** Statements for live queries that run at once, without those that take longer than `longStatementMillis`. */
export const statementsAtOnce = 4
export const longStatementMillis = 1000

/** Milliseconds between two polls that writes cause. */
export const pollSpacingMillis = 20

/** The longest pause in milliseconds between polls for a commit that is not visible yet. */
export const longestVisibilityPauseMillis = 1000

/** Milliseconds by which timers are inexact: intervals that end this close together share a poll. */
export const timerToleranceMillis = 15

/** Subscriptions that are replanned in one turn of the event loop. */
export const plannedPerTurn = 100

/** Milliseconds: the longest rest of a group between statements, which keeps long statements to half of the time. */
export const longestRestMillis = 1000

/** Milliseconds of a time slice, and steps between two looks at the clock. */
export const sliceMillis = 5
export const stepsPerClockCheck = 16

/** Milliseconds between checks whether open feeds are still allowed. */
export const permissionCheckMillis = 5000

/** Milliseconds until following writes is tried again after it ended; doubled up to the longest. */
export const reconnectMillis = 2000
export const longestRetryMillis = 60_000

/** Milliseconds after which decoding is asked again how far it has come. */
export const positionPauseMillis = 100

/** Milliseconds between polls of all groups while writes are reported: a bound for whatever the reports might miss. */
export const fullPollMillis = 60_000

/** Milliseconds between two announcements of writes. */
export const announcementSpacingMillis = 100

/** Milliseconds after which another instance has to confirm that it has subscribers. */
export const presenceMillis = 60_000

/** Looked-up sets of names that are cached. */
export const keptNameSets = 1000

/** Milliseconds until a failed join is retried; doubled up to the longest. */
export const firstJoinRetryMillis = 1000
export const longestJoinRetryMillis = 60_000

/** Milliseconds that a client has to answer a close frame. */
export const closeTimeoutMillis = 2000

/** Milliseconds within which a reserved event stream has to be opened. */
export const openTimeoutMillis = 10_000

/** Milliseconds after which clients of a stopping server reconnect: at least, and the random spread on top. */
export const leastReconnectMillis = 500
export const reconnectSpreadMillis = 3000

/** Cached envelopes, and the longest text of one. */
export const keptEnvelopes = 1000
export const longestKeptEnvelope = 200

/** Cached messages per body; they live as long as the body. */
export const keptMessagesPerBody = 16

/** Queued messages of a client at which reading pauses. */
export const mostQueuedMessages = 32

/** Bytes not yet received by a client at which states wait. */
export const highWaterBytes = 262_144

/** Bytes of the headers in `connection_init`, and the overhead of each: they stay in memory as long as the socket. */
export const longestHeaders = 65_536
export const bytesPerHeader = 32

/** Turns per keep-alive interval: connections are spread over them, so that they are not all checked at once. */
export const keepAliveTurns = 10

/** Silent checks after which a client is pinged, and after which its socket is closed. */
export const silentUntilPing = 18
export const silentUntilClosed = 24

/**
 * Keep-alive messages per second to clients that answer them, because reading answers costs more than sending. With more
 * clients each gets one less often, but at least once in `longestKeepAlivePause` intervals: proxies often close a connection
 * after a silent minute.
 */
export const answeredPerSecond = 100
export const longestKeepAlivePause = 10
