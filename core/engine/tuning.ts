// Timeouts of closing an engine, found by judgement.

/** Milliseconds that a closing hook may take to write its results after the graceful timeout. */
export const hookMargin = 1_000

/** Milliseconds that a change of the metadata may take to end before its connection is closed. */
export const changeMargin = 500
