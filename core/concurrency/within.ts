// Tells code whether some work called it, directly or through promises.

import { AsyncLocalStorage } from 'node:async_hooks'

/** One piece of work at a time, and the code that it calls. */
export class Within {
  readonly #storage = new AsyncLocalStorage<{ isOver: boolean }>()

  /** Whether the caller was called by work that still runs. */
  get isInside(): boolean {
    return this.#storage.getStore()?.isOver === false
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const state = { isOver: false }
    return this.#storage.run(state, work).finally(() => {
      state.isOver = true
      // Until then, Node 22 follows every promise of the process.
      this.#storage.disable()
    })
  }
}
