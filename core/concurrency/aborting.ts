// Work that may be ended early, by an `AbortSignal` whose reason is the error.

/** Calls `run` when the signal aborts, at once if it has aborted; returns what ends the watching. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run()
    return () => {}
  }
  signal.addEventListener('abort', run, { once: true })
  return () => signal.removeEventListener('abort', run)
}

/** A signal that aborts as soon as one of them does. */
export const eitherSignal = (one: AbortSignal | null, other: AbortSignal | null): AbortSignal | null =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other)

/** What the work gives, or the reason as soon as the signal aborts: the work is left to itself then. */
export function unlessAborted<T>(signal: AbortSignal | null, work: Promise<T>): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(stop)
  })
}
