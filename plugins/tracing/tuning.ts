// Numbers of tracing, found by measurement or judgement; none of them is an option.

/** Ids that are generated at once. One by one they would cost several times as much. */
export const idsAtOnce = 128

/** Characters of an attribute's value. */
export const maxValue = 256
