// The numbers of the command line. Units are in the names.

/** The time to connect to a server before it counts as unreachable. */
export const connectTimeoutMillis = 10_000

/**
 * The lease of a run, and the time between its renewals. A run that was killed keeps others out for the rest of the lease; one
 * that lives loses it only when two renewals fail.
 */
export const leaseMillis = 30_000
export const renewalMillis = 10_000

/** The time after which a request that is not answered is shown on a terminal, and the time between two pictures of it. */
export const silentMillis = 1_000
export const pictureMillis = 250

/** Connections of an engine in this process: one command sends one request at a time. */
export const ownConnections = 4

/** Differences of two answers that are listed, and the characters of a value in them. */
export const mostShown = 5
export const longestShown = 80

/** The levels of YAML files, whose values are read recursively; permissions nest a few dozen. */
export const mostYamlLevels = 200

/** The values that the aliases of a file may repeat: a short file can repeat billions. */
export const mostAliased = 1_000_000
