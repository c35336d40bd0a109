// Limits of Node's timers.

/** The longest delay of a timer in milliseconds; Node fires timers with a longer one immediately. */
export const longestTimer = 2 ** 31 - 1
