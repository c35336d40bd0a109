// Limits of explained access.

/** Nodes of rules that one request explains. */
export const mostNodes = 300
/** Related rows whose values a node shows. */
export const mostValues = 5
/** Characters of a shown value; a longer one is shown as the beginning of its text. */
export const longestValue = 2000
