// The numbers behind the placing of statements: judgement, or measured with `npm run bench`. Units are in the names.

/** Lanes per database. More gain nothing: their statements are short, and PostgreSQL answers each connection in order. */
export const laneCount = 2

/** The expected duration of all reads in flight on a lane; a read behind more of them is faster on the pool. */
export const longestLaneQueueMillis = 6

/** The pause before a lane that broke, or could not be opened, is opened again. */
export const laneReopenMillis = 250

/** Milliseconds between checks of a lane whose head takes too long. */
export const stuckLaneCheckMillis = 20

/** The assumed time between two answers of a lane that has not answered yet. */
export const firstLanePaceMillis = 0.1

/** The largest time between two answers that counts, so that one slow answer is soon forgotten. */
export const slowestLanePaceMillis = 5

/** The longest run that counts as short. */
export const shortRunMillis = 5

/** Short runs in a row that allow a statement onto a lane; doubled each time it blocks one, up to the maximum. */
export const fewestShortRuns = 3
export const mostShortRuns = 4096

/** Runs on lanes for each blocked lane that count as an accident: other work on the machine can cause it. */
export const runsPerAccident = 64

/** With more statements at work than this, the duration of a run says more about the load than about the statement. */
export const crowdSize = 4

/** Statements whose history is remembered; each takes about 200 bytes. */
export const rememberedStatements = 20_000

/** An idle time after which a connection may have been lost, so that it is tested before use. */
export const freshConnectionMillis = 5000

/** The timeout of that test. */
export const connectionTestMillis = 1000

/** The pause between connection attempts while PostgreSQL refuses. */
export const connectRetryMillis = 100

/** The interval at which the pool closes idle connections. */
export const idleSweepMillis = 1000

/** The timeout of the probe: below the second within which health is reported. */
export const probeTimeoutMillis = 900

/** The pause before a lost connection for notifications is replaced. */
export const listenRetryMillis = 1000

/** The time within which a notification of the server to itself has to arrive. */
export const echoTimeoutMillis = 3000

/** The shortest time between two times that idle connections are closed because the server is read-only. */
export const readOnlySweepMillis = 1000

/** Milliseconds between checks for silently lost connections. */
export const lostCheckMillis = 1000

/** Checks without a received byte before the probe asks PostgreSQL. */
export const checksBeforeAsking = 2

/** Further checks that have to agree that no backend works on the statement. */
export const agreeingChecks = 2

/** Checks at which the probe could not connect, after which the waiting statements fail. */
export const checksWithoutServer = 5

/** Writes at once while processors are the limit: more get little more done and slow down reads. */
export const cpuBoundWrites = 8

/** Writes that are measured before the limiter decides. */
export const measuredWrites = 64

/** Writes for which an open limiter stays open before it measures again. */
export const trustedWrites = 2048

/** The longest mean duration of writes that only compute; longer ones wait for a disk, a standby or a lock. */
export const cpuBoundWriteMillis = 3

/** The time after which a running write counts as waiting and frees its place. */
export const countedWriteMillis = 5

/** The most attempts of a transaction that PostgreSQL rolls back because of concurrent ones. */
export const conflictAttempts = 10

/** Statements by setting names that are kept; plugins determine the names, so there are few. */
export const keptSettingsStatements = 50

/** Characters of all texts prepared on one connection. A statement takes 100 to 200 times its text in PostgreSQL. */
export const preparedTextLength = 200_000

/** The longest text that is worth preparing. */
export const longestPreparedText = 50_000

/** New statements for each one that is prepared while there is no room. */
export const newcomersPerPlace = 8

/** The timeout of a cancel request. */
export const cancelTimeoutMillis = 2000

/** The pause before a cancel request is repeated, at first and at most: each request is a connection. */
export const firstCancelRetryMillis = 50
export const longestCancelRetryMillis = 2000

/** The timeout for PostgreSQL to close a connection. */
export const closeTimeoutMillis = 2000

/** Rows of a table that decoding reads in one transaction. Beyond, all rows of the table count as changed. */
export const mostDecodedRows = 1000

/** Milliseconds between confirmations of a position that PostgreSQL does not demand: each costs a write to its connection. */
export const confirmMillis = 1000

/** Bytes of a file with the URL of a database; passwords that are tokens have a few kB. */
export const longestUrlFile = 65_536
