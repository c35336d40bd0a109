// The numbers of the process. Units are in the names.

/** The time in which a second SIGINT counts as the same one: npm repeats a terminal's Ctrl-C to its script. */
export const repeatedSignalMillis = 300

/** The time beyond the graceful timeout in which the engine closes its connections. */
export const engineCloseMillis = 4_000

/** The time beyond the graceful timeout in which the engine and the embedded PostgreSQL stop. */
export const stopMillis = 10_000

/** The time after that before the process ends as after a second signal. */
export const lateStopMillis = 10_000

/** The time that a forced end waits for PostgreSQL, and for the log's reader. */
export const forcedStopMillis = 5_000
export const forcedLogMillis = 500

/** The time for the embedded PostgreSQL to start: recovery after a crash reads the whole log since the last checkpoint. */
export const databaseStartMillis = 300_000

/** The time in which an address or shared memory of a killed PostgreSQL becomes free. */
export const takeoverMillis = 20_000

/** The time for the embedded PostgreSQL to stop, by mode. */
export const databaseStopMillis = { fast: 15_000, immediate: 3_000 } as const

/** The time for a PostgreSQL of a killed server to stop. */
export const orphanStopMillis = 30_000

/** The largest text file with options or a secret, in bytes. */
export const largestTextFile = 1_048_576

/** Aliases that a value of a YAML file may expand. */
export const mostAliases = 100

/** Heap growth in percent before a full collection: garbage of documents that run once is most of the memory. */
export const heapGrowingPercent = 40

/**
 * The least growth before a full collection, in bytes. A collection marks all that lives, so the heap of a small server would be
 * marked many times a second: stitched requests spent a fifth of their processor time on that.
 */
export const leastHeapGrowth = 64 * 1024 * 1024

/**
 * A heap of this many bytes counts as large: to mark it takes some tenths of a second. It grows by this percentage instead (bench
 * `scale`, introspection).
 */
export const largeHeap = 128 * 1024 * 1024
export const largeHeapGrowingPercent = 150

/** Milliseconds between two looks whether the process is idle, and the part of the time that it may work meanwhile. */
export const idleCheckMillis = 5_000
export const mostIdleUtilization = 0.02

/** Bytes that an idle process gives back: collecting fewer is not worth a pause. */
export const leastIdleGarbage = 64 * 1024 * 1024

/** Calls after which V8 compiles a function with Maglev and with Turbofan, and calls with the same types needed for that. */
export const callsForMaglev = 100
export const callsForTurbofan = 300
export const callsWithSameTypes = 100

/** The young generation that a server profits from, in bytes of both halves; V8 would grow it to twice 64 MB. */
export const youngGenerationBytes = 2 * 16 * 1024 * 1024

/** The pauses before a worker that ended soon is started again: each is twice the one before. */
export const shortestRestartPause = 100
export const longestRestartPause = 5_000

/** The age at which a worker counts as steady: its successor starts at once. */
export const steadyMillis = 10_000

/** Milliseconds that a worker waits for the supervisor beyond the time of a question. */
export const supervisorMillis = 1_000
