// Work that may be ended early, by an `AbortSignal` whose reason is the error.

/** What waits for a signal. */
interface Watcher {
  readonly run: () => void
  /** Its place among the others; -1: it waits no longer. */
  place: number
}

/**
 * All that waits for one signal, behind one listener. Node looks through all listeners of a signal whenever one comes or goes, and
 * each that went keeps alive those that came after it: with a signal that lives long that is all that ever waited for it.
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
    // A signal that somebody listens to is kept by those that it follows.
    if (this.#watchers.length === 0) this.#signal.removeEventListener('abort', this.#listener)
  }

  #abort(): void {
    for (const watcher of this.#watchers.splice(0)) if (watcher.place >= 0) watcher.run()
  }
}

const watchers = Symbol('watchers')

/** With the signal rather than in a table: most live as long as a request. */
interface WatchedSignal extends AbortSignal {
  [watchers]?: Watchers
}

/** Calls `run` when the signal aborts, at once if it has aborted; returns what ends the watching. */
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
