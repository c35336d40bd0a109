// Limits of error messages and of the names in them, chosen by judgement; none of them is an option.

/** Characters of a name in a path. PostgreSQL's names have at most 63 bytes. */
export const longestName = 200

/** Characters of a message. */
export const longestMessage = 10_000

/** Characters kept from the end of a message, which states the fault of the name before it. */
export const keptEnd = 1000

/** Characters of an unknown name. Longer names get no suggestions. */
export const longestGuessed = 100

/** Candidates, and compared pairs of characters, of one guess; together they take a few milliseconds. */
export const mostCandidates = 20_000
export const mostComparisons = 500_000

/** Names that one hint lists. */
export const mostSuggested = 3

/** Causes below causes that the log shows. */
export const mostCauses = 8
