// Limits and sizes of JSON values, found by measurement or judgement; none of them is an option.

/** Bytes that one step parses, approximately. */
export const standardPart = 65_536

/** Levels of values that are printed again, because `JSON.stringify` is recursive. */
export const maxLevels = 1000

/** Characters of a path: the regular expression of paths uses a stack frame for each character between quotes. */
export const longestPath = 10_000

/** Values that are printed, or bound to a statement, in one go. More of them are printed in steps. */
export const valuesAtOnce = 5000

/** Elements of a list that are printed together if they are short. */
export const elementsAtOnce = 1000
