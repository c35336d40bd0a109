// Numbers of metrics, chosen by judgement; none of them is an option.

/** Error codes that are counted by themselves. The server has fewer, but action handlers can add some. */
export const maxCodes = 100

/** Milliseconds for reading one measure. By default Prometheus waits ten seconds for all metrics. */
export const readTimeout = 4_000

/** Milliseconds that the other workers have for their metrics: each measure has `readTimeout`. */
export const workerTimeout = 6_000
