// Limits of simulations. One holds the lock of the metadata as long as it runs, so other edits wait for it.

/** Seconds of a simulation, at most. */
export const longestSimulation = 10
/** Requests that are tried before and after the changes. */
export const mostAsked = 20
/** Roles whose schemas are compared. */
export const mostRoles = 5
/** Bytes of one answer; a larger one is an error. */
export const largestAnswer = 262_144
/** Changes of the document that are listed. */
export const mostChanges = 1000
/** Differences that are listed for each role. */
export const mostDifferences = 1000
