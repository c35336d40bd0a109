// Numbers found by measurement; none of them is an option. A unit of cost stands for about half a kilobyte of PostgreSQL's
// memory while it plans and runs a statement.

/** The cost of a related row in a condition or an order. PostgreSQL's planner needs about 60 kB for it. */
export const relatedCost = 125

/**
 * The cost of a comparison. PostgreSQL's planner needs about 2 kB for it; the event loop needs some 40 µs, found by
 * `bench/run.ts --only hostile`.
 */
export const comparisonCost = 3

/**
 * Nested lists, each repeated with the rows that have them, that cost no more than others. At ten rows a list, each
 * further one makes the answer ten times larger: six of them are a million lists.
 */
export const freeRepeats = 3

/** Each further one costs this many times the one around it; with the default limit, a sixth is refused. */
export const repeatFactor = 4

/** The cost of a root field with a selection. */
export const rootCost = 45

/** Roles whose access to one generation of the model is cached. */
export const maxRoles = 400
