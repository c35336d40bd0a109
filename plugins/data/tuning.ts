// Limits of data operations, chosen by judgement.

/** The most columns and relationships that a wildcard expands to: each level multiplies them. */
export const maxExpanded = 5000

/** Characters of a path in an order, which is split at once. */
export const longestPath = 10_000
