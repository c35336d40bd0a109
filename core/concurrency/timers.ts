// What timers of Node can do.

/** The longest time that one can wait, in milliseconds: one that is set to more does not wait at all. */
export const longestTimer = 2 ** 31 - 1
