// Sizes of scripts, chosen by judgement.

/** Characters of a text that an answer repeats. */
export const longestRepeated = 2000

/** Rows of each statement that version 2 of `run_sql` answers. */
export const mostRows = 100_000

/** Characters of all rows that version 2 of `run_sql` answers: they are in memory at once. */
export const mostCharacters = 33_554_432

/** The number of first words that identify a statement. */
export const keptWords = 32
