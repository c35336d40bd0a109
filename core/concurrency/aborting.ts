// Support for work that an `AbortSignal` can end early; the signal's reason is the error.

/** A callback that waits for a signal. */
interface Watcher {
  readonly run: () => void
  /** Its index in the list; -1: it is removed. */
  place: number
}

/**
 * All callbacks of a signal, behind one listener. Node scans all listeners of a signal whenever one is added or
 * removed. A removed listener also keeps later ones alive, which is a leak on long-lived signals.
 */
class Watchers {
  readonly #signal: AbortSignal
  readonly #watchers: Watcher[] = []
  readonly #listener = () => this.#abort()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(run: () => void): Watcher {
    if (this.#watchers.length === 0) this.#signal.addEventListener('abort', this.#listener, { once: true })
    const watcher = { run, place: this.#watchers.length }
    this.#watchers.push(watcher)
    return watcher
  }

  remove(watcher: Watcher): void {
    const { place } = watcher
    watcher.place = -1
    if (this.#watchers[place] !== watcher) return
    const last = this.#watchers.pop()!
    if (last !== watcher) {
      this.#watchers[place] = last
      last.place = place
    }
    // As long as a signal has a listener, the signals that it follows keep it alive.
    if (this.#watchers.length === 0) this.#signal.removeEventListener('abort', this.#listener)
  }

  #abort(): void {
    for (const watcher of this.#watchers.splice(0)) if (watcher.place >= 0) watcher.run()
  }
}

const watchers = Symbol('watchers')

/** Stored on the signal instead of in a map, because most signals live only as long as a request. */
interface WatchedSignal extends AbortSignal {
  [watchers]?: Watchers
}

/** Calls `run` when the signal aborts, or now if it has aborted; returns a function that cancels this. */
export function onAbort(signal: WatchedSignal, run: () => void): () => void {
  if (signal.aborted) {
    run()
    return () => {}
  }
  signal[watchers] ??= new Watchers(signal)
  const all = signal[watchers]
  const watcher = all.add(run)
  return () => all.remove(watcher)
}

/** A signal that aborts as soon as either signal does. */
export const eitherSignal = (one: AbortSignal | null, other: AbortSignal | null): AbortSignal | null =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other)

/** The result of the work, or the signal's reason as soon as it aborts; the work itself continues then. */
export function unlessAborted<T>(signal: AbortSignal | null, work: Promise<T>): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(stop)
  })
}
