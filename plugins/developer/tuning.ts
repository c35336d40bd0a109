// Limits of the requests that are kept in memory.

/** Requests that are kept: about 200 bytes each. */
export const mostKept = 1000

/** Characters of a role: longer ones are names that a client made up. */
export const longestRole = 100

/** Milliseconds that the other workers have for their part of an answer. */
export const workerTimeout = 2_000
