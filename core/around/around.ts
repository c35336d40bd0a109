// Hooks with which plugins wrap a kind of work, to measure, trace, limit or refuse it.

/**
 * Must call `run` once and return its result, or throw before that to refuse the work. `work` holds the facts known so
 * far; by the time `run` has ended, more may be filled in.
 */
export type Around<Work> = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** The same for synchronous work. */
export type AroundSync<Work> = <T>(work: Work, run: () => T) => T
