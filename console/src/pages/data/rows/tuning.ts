// Limits of the page of rows, chosen by judgement.

/** Characters above which a cell is only read until somebody asks to edit it, and JSON is saved as a patch. */
export const largeCharacters = 1024 * 1024
