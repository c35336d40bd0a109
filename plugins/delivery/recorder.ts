// Writes outcomes down: those that come while one write is under way go together in the next.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Settled } from './ledger.ts'

const mostAtOnce = 200

/** Milliseconds between attempts to write. */
const firstPause = 100
const longestPause = 5000

export interface RecorderOptions<Item> {
  /** Writes down, and may reject; tells of it when it is done. */
  record(settled: readonly Settled<Item>[]): Promise<void>
  report(error: unknown): void
}

export class Recorder<Item> {
  readonly #options: RecorderOptions<Item>
  readonly #stop = new AbortController()
  #waiting: Settled<Item>[] = []
  /** What is to be done while nothing is being written down. */
  #between: (() => Promise<void>)[] = []
  #writing: Promise<void> | null = null

  constructor(options: RecorderOptions<Item>) {
    this.#options = options
  }

  /** Outcomes that are not written down yet. */
  get pending(): number {
    return this.#waiting.length
  }

  add(settled: Settled<Item>): void {
    this.#waiting.push(settled)
    this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
      // What came when the last round was over already.
      if (this.#isMoreToDo && !this.#stop.signal.aborted) this.#begin()
    })
  }

  get #isMoreToDo(): boolean {
    return this.#waiting.length > 0 || this.#between.length > 0
  }

  /** Does something between two writes; as they do, it waits for the database as long as that takes. */
  between(work: () => Promise<void>): Promise<void> {
    return new Promise((done, failed) => {
      this.#between.push(() => work().then(done, failed))
      this.#begin()
    })
  }

  /** Resolves when all is written down, or the signal aborts. */
  async finish(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stop.abort(), { once: true })
    if (signal.aborted) this.#stop.abort()
    while (this.#writing) await this.#writing
  }

  async #write(): Promise<void> {
    // What is delivered in the same turn comes along.
    await new Promise<void>((done) => setImmediate(done))
    while (this.#isMoreToDo) {
      for (const work of this.#between.splice(0)) await work()
      const batch = this.#waiting.slice(0, mostAtOnce)
      if (batch.length > 0 && !(await this.#writeBatch(batch))) return
      this.#waiting.splice(0, batch.length)
    }
  }

  /** Tries until it is written; false when that is given up. The lease ends in time where the database stays away. */
  async #writeBatch(batch: readonly Settled<Item>[]): Promise<boolean> {
    for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
      try {
        await this.#options.record(batch)
        return true
      } catch (error) {
        this.#options.report(error)
      }
      if (this.#stop.signal.aborted) return false
      await sleep(pause, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }
}
