// How plugins put a function around a kind of work: to measure, trace, limit or refuse it.

/**
 * Runs `run` once and returns its result, or throws before it to refuse the work. `work` holds the facts known so far;
 * more are filled in by the time `run` has ended.
 */
export type Around<Work> = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** The same for synchronous work. */
export type AroundSync<Work> = <T>(work: Work, run: () => T) => T
