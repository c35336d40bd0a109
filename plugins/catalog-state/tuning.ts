// The limit of stored states.

/** Bytes of a state: it is read and written whole. */
export const largestState = 1_048_576
