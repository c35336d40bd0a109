/** How live queries are served, as reports of the configuration tell it. The delay is in seconds. */
export const liveQueries = { batch_size: 100, refetch_delay: 1 } as const
