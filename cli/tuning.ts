// The numbers of the command line. Units are in the names.

/** The time to connect to a server before it counts as unreachable. */
export const connectTimeoutMillis = 10_000

/** Connections of an engine in this process: one command sends one request at a time. */
export const ownConnections = 4
