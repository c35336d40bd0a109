// Writes outcomes down: those that come while one write is under way go together in the next. What the database refuses for
// what is in it, such as a request that is nested deeper than PostgreSQL can read, or an answer with a character that the
// encoding of the database lacks, keeps no other from being written.

import { codeOf, TrellisError } from '../../sdk/index.ts'
import type { Attempt } from './attempt.ts'
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
  /** What is to be done while nothing is being written down; it tells whether the database did it. */
  #between: (() => Promise<boolean>)[] = []
  #wakeUp: (() => void) | null = null
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

  /** Does something between two writes, or between two attempts of one that fails. */
  between(work: () => Promise<void>): Promise<void> {
    return new Promise((done, failed) => {
      const told = async () => {
        try {
          await work()
          done()
          return true
        } catch (error) {
          failed(error)
          return false
        }
      }
      this.#between.push(told)
      this.#begin()
      this.#wakeUp?.()
    })
  }

  /** Resolves when all is written down, or the signal aborts. */
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
    // What is delivered in the same turn comes along.
    await new Promise<void>((done) => setImmediate(done))
    while (this.#isMoreToDo) {
      await this.#doBetween()
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

  /** Whether the database did any of it. */
  async #doBetween(): Promise<boolean> {
    let isDone = false
    for (const work of this.#between.splice(0)) isDone = (await work()) || isDone
    return isDone
  }

  /** Rests so many milliseconds, and no more where the database proves to be well meanwhile. */
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

/** Whether it was not what the database can read: values that are none (class 22), or too much for it (54). */
const isRefused = (sqlState: string): boolean => /^(22|54)/.test(sqlState)

/** What may be written of a batch that was refused: its halves, or one outcome with another attempt; null: nothing. */
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

/** An attempt that the database may take in place of one that it refused: escaped, or with its request as a text; null: there is none. */
function rewritten(attempt: Attempt, sqlState: string): Attempt | null {
  const { request, response } = attempt
  if (sqlState !== untranslatable) {
    return request.startsWith('"') ? null : { ...attempt, request: JSON.stringify(request) }
  }
  const escaped = { ...attempt, request: inAscii(request), response: inAscii(response) }
  return escaped.request === request && escaped.response === response ? null : escaped
}

/** The same JSON without characters that some encoding may lack. */
const inAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
