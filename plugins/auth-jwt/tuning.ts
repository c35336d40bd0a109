// Limits and delays of JSON Web Tokens and key sets that were chosen by judgement.

/** Milliseconds for one request of a key set. */
export const requestTimeout = 30_000

/** Bytes of a key set; those of large providers have a few kB. */
export const maxSetSize = 1_048_576

/** Milliseconds until a key set is requested again after a failure. */
export const defaultRetryDelay = 60_000

/** Milliseconds between two requests at least: responses that expire immediately must not cause a loop. */
export const shortestDelay = 1_000

/** Milliseconds of the longest accepted delay by `Retry-After`. */
export const longestWait = 3_600_000

/** Characters of a token: longer than any header that Node accepts, but still cheap to process. */
export const longestToken = 65_536

/** Characters of all cached tokens. A verification costs more than most requests. */
export const rememberedCharacters = 4_194_304

/** Seconds until a signed token of development expires: an hour, as the tokens of most issuers. */
export const tokenLifeSeconds = 3_600

/** Seconds of the longest accepted life: ten years. A longer one is probably a mistake in the unit. */
export const longestTokenLifeSeconds = 315_360_000
