// The limit of lists.

/** Tables of a page, which is in memory at once. */
export const mostTables = 10_000
