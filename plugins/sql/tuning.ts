// Sizes of scripts, chosen by judgement.

/** Characters of a text that an answer repeats. */
export const longestRepeated = 2000

/** The number of first words that identify a statement. */
export const keptWords = 32
