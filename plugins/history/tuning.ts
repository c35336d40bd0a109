// Limits of the history of the metadata.

/** Versions that are kept. */
export const mostVersions = 1000
/** Bytes of all patches that are kept, roughly: they are part of every backup of the database. */
export const mostBytes = 64 * 1_048_576
/** Bytes of the patch of one version. Of a larger one only the author is kept, so it cannot be reverted. */
export const largestPatch = 4 * 1_048_576
/** Bytes that a change takes beside its values, roughly. */
export const changeBytes = 200

/** Versions in one answer, at most, and when the request gives no limit. */
export const largestPage = 200
export const usualPage = 50
/** Bytes of patches in one answer; a page ends earlier with larger ones. */
export const pageBytes = 4 * 1_048_576

/** Characters of values per statement, roughly: a longer one would block requests while it is sent. */
export const statementSize = 200_000
