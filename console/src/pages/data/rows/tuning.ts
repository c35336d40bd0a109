// Limits of the page of rows, chosen by judgement.

/** Characters above which a cell is read-only until an edit is asked for, and JSON is saved as a patch. */
export const largeCharacters = 1024 * 1024
