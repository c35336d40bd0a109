// Limits of ids and cursors, chosen by judgement.

/** Levels of the JSON in an id or cursor; those of the server have fewer. */
export const maxDepth = 100

/** Characters of an id or cursor, which is read at once. Only rows that are ordered by a huge text have a longer one. */
export const longestId = 1_000_000
