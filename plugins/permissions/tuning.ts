// Limits of explained access, and of questions about input.

/** Nodes of rules that one request explains. */
export const mostNodes = 300
/** Related rows whose values a node shows. */
export const mostValues = 5
/** Characters of a shown value; a longer one is shown as the beginning of its text. */
export const longestValue = 2000

/** Seconds for the answer of a server that validates input, unless the permission says otherwise. */
export const defaultTimeout = 10
/** Bytes of such an answer. */
export const maxAnswerBytes = 1_000_000
/** Bytes of an unexpected answer that administrators see. */
export const shownBytes = 10_000
