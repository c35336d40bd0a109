// Tuning constants. Those of the SQL printer keep usual queries in the form that PostgreSQL runs fastest, and bound the
// planning time of deep or wide ones.

/** Levels of relationships in conditions that are joined; those below are collected. Planning joins gets slow quickly. */
export const joinedLevels = 8

/** Relationships in conditions that are joined in one place. */
export const joinedSiblings = 12

/** Levels of EXISTS outside of a conjunction that keep the usual form. Each level doubles the planning time. */
export const plannedTwice = 3

/** Related rows in an order that are joined, nested or side by side. Planning time grows with a power of their number. */
export const orderJoins = 12

/** To-one objects that are plain joins, side by side or nested. Planning time grows with the square of their number. */
export const toOneJoins = 6

/** Terms in one chain of `||`. The depth of the expression would grow with the length of the chain. */
export const chainLength = 64

/** Items of an array that are encoded between two pauses; some milliseconds. */
export const itemsAtOnce = 1000

/** Characters of a list that are encoded between two pauses; some milliseconds. */
export const charactersAtOnce = 50_000

/** The time for an item of a list, as a number of characters that take as long. */
export const charactersPerItem = 50
