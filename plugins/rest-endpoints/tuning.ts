// Limits of REST endpoints, found by judgement.

/** Bytes of a form, which is read at once, unlike JSON. */
export const longestForm = 262_144
