// Records outcomes in batches: those that arrive during a write go into the next one. If the database refuses the content of one
// outcome, the others are still written. Examples are a request nested deeper than PostgreSQL can read, or an answer with a
// character that the encoding of the database lacks.

import { codeOf, TrellisError } from '../../sdk/index.ts'
import type { Attempt } from './attempt.ts'
import type { Settled } from './ledger.ts'
import { firstRetryMillis, longestRetryMillis, outcomesPerWrite } from './tuning.ts'

export interface RecorderOptions<Item> {
  /** Writes outcomes to the ledger; may reject. */
  record(settled: readonly Settled<Item>[]): Promise<void>
  report(error: unknown): void
}

export class Recorder<Item> {
  readonly #options: RecorderOptions<Item>
  readonly #stop = new AbortController()
  #waiting: Settled<Item>[] = []
  /** Work for the time between two writes; each gives whether the database did it. */
  #between: (() => Promise<boolean>)[] = []
  #wakeUp: (() => void) | null = null
  #writing: Promise<void> | null = null

  constructor(options: RecorderOptions<Item>) {
    this.#options = options
  }

  /** The number of outcomes that are not written yet. */
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
  async #writeBatch(batch: readonly Settled<Item>[]): Promise<boolean> {
    for (let pause = firstRetryMillis; ; pause = Math.min(longestRetryMillis, pause * 2)) {
      try {
        await this.#options.record(batch)
        return true
      } catch (error) {
        this.#options.report(error)
        const parts = partsOf(batch, sqlStateOf(error))
        if (parts) return this.#writeParts(parts)
      }
      if (this.#stop.signal.aborted) return false
      await this.#rest(pause)
    }
  }

  async #writeParts(parts: readonly (readonly Settled<Item>[])[]): Promise<boolean> {
    for (const part of parts) if (!(await this.#writeBatch(part))) return false
    return true
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

const sqlStateOf = (error: unknown): string => codeOf(error instanceof TrellisError ? error.cause : error) ?? ''

/** Whether the database refused the content: invalid values (class 22), or a limit was exceeded (class 54). */
const isRefused = (sqlState: string): boolean => /^(22|54)/.test(sqlState)

/** The parts of a refused batch to write instead: its halves, or one outcome with another attempt; null: nothing is left to try. */
function partsOf<Item>(batch: readonly Settled<Item>[], sqlState: string): (readonly Settled<Item>[])[] | null {
  if (!isRefused(sqlState)) return null
  const [first] = batch
  if (batch.length > 1) {
    const half = batch.length >> 1
    return [batch.slice(0, half), batch.slice(half)]
  }
  const attempt = first?.outcome.attempt && rewritten(first.outcome.attempt, sqlState)
  return attempt ? [[{ item: first.item, outcome: { ...first.outcome, attempt } }]] : null
}

/** The encoding of the database lacks a character. */
const untranslatable = '22P05'

/** An attempt that the database may accept instead: escaped, or with its request as a text; null: there is no other form. */
function rewritten(attempt: Attempt, sqlState: string): Attempt | null {
  const { request, response } = attempt
  if (sqlState !== untranslatable) {
    return request.startsWith('"') ? null : { ...attempt, request: JSON.stringify(request) }
  }
  const escaped = { ...attempt, request: inAscii(request), response: inAscii(response) }
  return escaped.request === request && escaped.response === response ? null : escaped
}

/** The same JSON in ASCII: an encoding may lack any other character. */
const inAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
