// Sizes of stitched schemas that were chosen by judgement.

/** Keys of one lookup at a member, as the default of `--remote-join-batch-size`. */
export const mostKeys = 1000

/** Stitched schemas that are kept, so that a change of other metadata does not stitch them again. */
export const mostKeptSchemas = 100
