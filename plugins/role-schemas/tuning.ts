// Limits of descriptions of role schemas.

/** Characters of all descriptions that are kept of one generation of the model; a role of 1,000 tables has some 10 million. */
export const keptCharacters = 64 * 1_048_576

/** Characters of SDL in one answer, roughly; a longer schema has pages. */
export const pageCharacters = 1_048_576

/** Matches in one answer, at most, and when the request gives no limit. */
export const mostMatches = 200
export const usualMatches = 50
/** Characters of a searched text. */
export const longestText = 200

/** Differences in one answer, at most, and when the request gives no limit. */
export const mostDifferences = 5000
export const usualDifferences = 1000
