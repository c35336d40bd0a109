// Numbers of the rate limit, chosen by judgement; none of them is an option.

/** Characters of a client's key. Longer keys are stored as their digest. */
export const maxKey = 200

/** Clients that are remembered: some megabytes. The count of a forgotten client restarts. */
export const maxClients = 20_000

/** Milliseconds after which a worker tells the others of its requests. */
export const tellMillis = 20

/** Milliseconds for the others to take that. */
export const workerTimeout = 1_000
