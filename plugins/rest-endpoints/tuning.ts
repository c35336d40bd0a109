// Limits of REST endpoints, found by judgement.

/** Bytes of a form, which is read at once, unlike JSON. */
export const longestForm = 262_144

/** Input objects in a description. Those of a table refer to those of all tables that it is related to. */
export const mostComponents = 1000

/** Fields of one query in a description. */
export const mostFields = 10_000

/** Characters of a client's name or text that a message repeats. */
export const longestShown = 100
