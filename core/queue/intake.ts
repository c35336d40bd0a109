// How much to take: the number of items that a claim may ask for, the prefetched items, and whether the worker keeps up.

import type { Handler } from './ledger.ts'
import { Prefetch } from './prefetch.ts'
import { fullBatches, prefetchedBatches, prefetchMillis, roomMillis } from './tuning.ts'

export interface IntakeOptions<Item> {
  readonly handler: Pick<Handler<Item, never>, 'groupOf' | 'mayBegin'>
  /** Runs at once. */
  readonly concurrency: number
  /** The maximum number of items per claim. */
  readonly batch: number
  /** The runs, and whether nothing more should be claimed. */
  readonly work: { readonly running: number; readonly isFull: boolean }
  /** Releases items that waited too long for room. */
  release(items: readonly Item[]): void
  /** Called when the worker starts to claim full batches one after another, and when that ends. */
  backlogged?(isBacklogged: boolean): void
}

/** How much a worker takes. */
export class Intake<Item> {
  readonly #options: IntakeOptions<Item>
  readonly #prefetched: Prefetch<Item>
  #unstartedTimer: NodeJS.Timeout | undefined
  /** Called when there may be more room; set while the worker waits for it. */
  #onRoom: (() => void) | null = null
  #isStopped = false
  /** The number of items of full batches in a row. */
  #inARow = 0
  #isBacklogged = false

  constructor(options: IntakeOptions<Item>) {
    this.#options = options
    const { handler } = options
    this.#prefetched = new Prefetch((item) => handler.groupOf?.(item))
  }

  /** The number of items to claim, once that number is worth a statement. */
  async room(): Promise<number> {
    if (this.#free < this.#worthwhile) await this.#moreRoom()
    return Math.max(1, Math.min(this.#options.batch, this.#free))
  }

  /** The number of items that may be claimed now. */
  get #free(): number {
    const { concurrency, batch, work } = this.#options
    if (work.isFull) return 0
    const prefetchable = Math.min(prefetchedBatches * batch, this.#prefetched.room(performance.now()))
    return concurrency + prefetchable - work.running - this.#prefetched.size
  }

  /** A claim costs the same for one item and for many, so with enough items prefetched the worker waits for a whole batch. */
  get #worthwhile(): number {
    const { concurrency, batch } = this.#options
    return this.#prefetched.size >= batch ? batch : Math.ceil(Math.min(concurrency, batch) / 4)
  }

  /** Waits until there is room for a worthwhile claim, or after a while for one item. */
  async #moreRoom(): Promise<void> {
    let needed = this.#worthwhile
    const timeout = setInterval(() => {
      needed = 1
      this.#onRoom?.()
    }, roomMillis)
    await new Promise<void>((done) => {
      this.#onRoom = () => {
        if (this.#isStopped || this.#free >= needed) done()
      }
      this.#onRoom()
    })
    this.#onRoom = null
    clearInterval(timeout)
  }

  /** Counts a claim of `count` items with this limit. */
  claimed(count: number, limit: number): void {
    this.#inARow = count < limit ? 0 : this.#inARow + count
    if (this.#isBacklogged ? this.#inARow > 0 : this.#inARow <= fullBatches * this.#options.batch) return
    this.#isBacklogged = !this.#isBacklogged
    this.#options.backlogged?.(this.#isBacklogged)
  }

  /** Adds claimed items. */
  add(items: readonly Item[]): void {
    this.#prefetched.add(items, performance.now())
  }

  /** Takes the next item to run, with the seconds since its claim; undefined: nothing waits, or there is no room. */
  next(): { readonly item: Item; readonly waited: number } | undefined {
    const { concurrency, work, handler } = this.#options
    if (work.running >= concurrency) return undefined
    const next = this.#prefetched.take((item) => handler.mayBegin?.(item) ?? true)
    return next && { item: next.item, waited: (performance.now() - next.since) / 1000 }
  }

  /** Counts an ended run. */
  ended(): void {
    this.#prefetched.ended(performance.now())
  }

  /** There may be more room. */
  hasRoom(): void {
    this.#onRoom?.()
  }

  /** Releases prefetched items that wait too long because runs became slow: other workers may have room for them. */
  releaseUnstartedLater(): void {
    if (this.#prefetched.size === 0 || this.#unstartedTimer || this.#isStopped) return
    this.#unstartedTimer = setTimeout(() => {
      this.#unstartedTimer = undefined
      this.#options.release(this.#prefetched.remove(performance.now() - prefetchMillis))
      this.releaseUnstartedLater()
    }, prefetchMillis).unref()
  }

  /** Ends the wait for room. */
  stop(): void {
    this.#isStopped = true
    this.#onRoom?.()
  }

  /** Releases all prefetched items. */
  clear(): void {
    clearTimeout(this.#unstartedTimer)
    this.#options.release(this.#prefetched.remove())
  }
}
