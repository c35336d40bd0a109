// Records outcomes in batches: those that arrive during a write go into the next one. If the database refuses the content of one
// outcome, the others are still written. Examples are a text nested deeper than PostgreSQL can read, or a character that the
// encoding of the database lacks.

import { originOf } from '../database/wire/postgres-errors.ts'
import { codeOf } from '../errors/thrown.ts'
import type { Handler, Settled } from './ledger.ts'
import { firstRetryMillis, longestRetryMillis, outcomesPerWrite } from './tuning.ts'

export interface RecorderOptions<Item, Outcome> extends Pick<Handler<Item, Outcome>, 'rewritten'> {
  /** Writes outcomes to the ledger; may reject. */
  record(settled: readonly Settled<Item, Outcome>[]): Promise<void>
  report(error: unknown): void
}

export class Recorder<Item, Outcome> {
  readonly #options: RecorderOptions<Item, Outcome>
  readonly #stop = new AbortController()
  #waiting: Settled<Item, Outcome>[] = []
  /** Work for the time between two writes; each gives whether the database did it. */
  #between: (() => Promise<boolean>)[] = []
  #wakeUp: (() => void) | null = null
  #writing: Promise<void> | null = null

  constructor(options: RecorderOptions<Item, Outcome>) {
    this.#options = options
  }

  /** The number of outcomes that are not written yet. */
  get pending(): number {
    return this.#waiting.length
  }

  add(settled: Settled<Item, Outcome>): void {
    this.#waiting.push(settled)
    this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
      // Outcomes that arrived after the last round had ended.
      if (this.#isMoreToDo && !this.#stop.signal.aborted) this.#begin()
    })
  }

  get #isMoreToDo(): boolean {
    return this.#waiting.length > 0 || this.#between.length > 0
  }

  /** Runs work between two writes, or between two attempts of a write that fails. */
  between(work: () => Promise<void>): Promise<void> {
    return new Promise((done, failed) => {
      const run = async () => {
        try {
          await work()
          done()
          return true
        } catch (error) {
          failed(error)
          return false
        }
      }
      this.#between.push(run)
      this.#begin()
      this.#wakeUp?.()
    })
  }

  /** Resolves when all outcomes are written, or the signal aborts. */
  async finish(signal: AbortSignal): Promise<void> {
    const stop = () => {
      this.#stop.abort()
      this.#wakeUp?.()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    while (this.#writing) await this.#writing
  }

  async #write(): Promise<void> {
    // Deliveries that end in the same turn of the event loop join the batch.
    await new Promise<void>((done) => setImmediate(done))
    while (this.#isMoreToDo) {
      await this.#doBetween()
      const batch = this.#waiting.slice(0, outcomesPerWrite)
      if (batch.length > 0 && !(await this.#writeBatch(batch))) return
      this.#waiting.splice(0, batch.length)
    }
  }

  /** Tries until the batch is written; false when it gives up. If the database stays away, the leases expire. */
  async #writeBatch(batch: readonly Settled<Item, Outcome>[]): Promise<boolean> {
    for (let pause = firstRetryMillis; ; pause = Math.min(longestRetryMillis, pause * 2)) {
      try {
        await this.#options.record(batch)
        return true
      } catch (error) {
        this.#options.report(error)
        const parts = this.#partsOf(batch, error)
        if (parts) return this.#writeParts(parts)
      }
      if (this.#stop.signal.aborted) return false
      await this.#rest(pause)
    }
  }

  async #writeParts(parts: readonly (readonly Settled<Item, Outcome>[])[]): Promise<boolean> {
    for (const part of parts) if (!(await this.#writeBatch(part))) return false
    return true
  }

  /** The parts of a refused batch to write instead: its halves, or one outcome in another form; null: nothing is left to try. */
  #partsOf(batch: readonly Settled<Item, Outcome>[], error: unknown): (readonly Settled<Item, Outcome>[])[] | null {
    const [first] = batch
    if (!isRefused(sqlStateOf(error)) || !first) return null
    if (batch.length > 1) {
      const half = batch.length >> 1
      return [batch.slice(0, half), batch.slice(half)]
    }
    const outcome = this.#options.rewritten?.(first.outcome, error) ?? null
    return outcome && [[{ item: first.item, outcome }]]
  }

  /** Gives whether the database did any of the work. */
  async #doBetween(): Promise<boolean> {
    let isDone = false
    for (const work of this.#between.splice(0)) isDone = (await work()) || isDone
    return isDone
  }

  /** Pauses between attempts; ends early when other work shows that the database is back. */
  async #rest(millis: number): Promise<void> {
    const until = performance.now() + millis
    while (!this.#stop.signal.aborted && !(await this.#doBetween())) {
      const left = until - performance.now()
      if (left <= 0) return
      await new Promise<void>((done) => {
        const timer = setTimeout(done, left)
        this.#wakeUp = () => {
          clearTimeout(timer)
          done()
        }
      })
      this.#wakeUp = null
    }
  }
}

/** The SQLSTATE of an error of the database; empty: it has none. */
export const sqlStateOf = (error: unknown): string => codeOf(originOf(error)) ?? ''

/** Whether the database refused the content: invalid values (class 22), or a limit was exceeded (class 54). */
const isRefused = (sqlState: string): boolean => /^(22|54)/.test(sqlState)
