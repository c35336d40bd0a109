// Numbers of scheduled events, chosen by judgement; none of them is an option.

/** Milliseconds between polls while notifications arrive: the ledgers know their next due time. */
export const longestPollMillis = 60_000

/** Future occurrences that are kept per cron trigger. */
export const occurrencesAhead = 100

/** Cron triggers that one statement plans; other statements run in between. */
export const plannedAtOnce = 5

/** Missed occurrences that are made up for at once. */
export const mostMissed = 1000

/** Milliseconds between two plans of occurrences: a trigger of each minute has many left by then. */
export const planningMillis = 60_000

/** Milliseconds between plans without the job, whose database may be away: even a trigger of each minute is planned for longer. */
export const replanMillis = 20 * 60_000

/** Due times of an answer of `get_cron_ticks`. */
export const mostTicks = 100
