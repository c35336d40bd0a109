// Limits of data operations, chosen by judgement.

/** The most columns and relationships that a wildcard expands to: each level multiplies them. */
export const maxExpanded = 5000

/** Characters of a path in an order, which is split at once. */
export const longestPath = 10_000

/**
 * Operations of the patches of an update. PostgreSQL keeps the value after each until the row is done: 100 of 5 MB are
 * half a gigabyte, and took 8 s.
 */
export const mostPatched = 100

/** Rows of a page of `browse_rows`. */
export const mostBrowsed = 1000

/** Characters of a cell of `browse_rows`. */
export const longestPreview = 1_000_000

/** Characters of all cells of a page, which are in memory at once: cells are cut earlier where there are many. */
export const mostPageCharacters = 33_554_432

/** Bytes of the values in a cursor: it is sent with each page. */
export const longestCursor = 12_000

/** Columns of the order of `browse_rows`, with the key: each makes the condition on the next page longer. */
export const mostOrderedBy = 64

/** Characters of the rows that an export reads at once: they are in memory until the client takes them. */
export const wantedBytes = 262_144

/** Rows that an export reads at once: the next ones may be much longer than those before. */
export const mostFetched = 200

/** Milliseconds without progress after which an export is given up, because it holds a connection. */
export const idleMillis = 60_000
