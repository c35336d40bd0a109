// Limits of the requests that are kept in memory.

/** Requests that are kept: about 200 bytes each. */
export const mostKept = 1000

/** GraphQL operations that are kept, each once, and the characters of all their texts. */
export const mostOperations = 1000
export const mostOperationText = 4_000_000

/** Characters of a role, a request id or an operation's name: longer ones are names that a client made up. */
export const longestName = 100

/** Milliseconds that the other workers have for their part of an answer. */
export const workerTimeout = 2_000
