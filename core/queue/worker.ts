// The worker of a queue: it claims due items from a ledger, runs them, and records the outcomes. Several workers, on one instance
// or many, may share a ledger: they skip the items that another worker holds a lease on.

import { Intake, type IntakeOptions } from './intake.ts'
import type { Handler, Leased, QueueLedger, Settled } from './ledger.ts'
import { Outage } from './outage.ts'
import { Timing, type TimingOptions } from './timing.ts'
import { afterStartMillis } from './tuning.ts'
import { Work } from './work.ts'

export interface WorkerOptions<Item extends Leased, Outcome>
  extends Pick<IntakeOptions<Item>, 'concurrency' | 'batch' | 'backlogged'>,
    Pick<TimingOptions, 'missed'> {
  readonly ledger: QueueLedger<Item, Outcome>
  readonly handler: Handler<Item, Outcome>
  /** Reports failures after which the worker continues, such as a lost database. A repeated message is reported once. */
  report(message: string): void
  /** Called with the number of items of a claim, and its seconds. */
  claimed?(count: number, seconds: number): void
}

/** The moments of a server's life that its workers follow. */
export interface Serving {
  onReady(run: () => void): void
  onStopping(run: () => void): void
  onClose(run: () => Promise<void>): void
  readonly settings: { readonly gracefulShutdownTimeout: number }
}

/** A worker: it asks when {@link Timing} says, for as much as {@link Intake} has room, and {@link Work} does the rest. */
export class QueueWorker<Item extends Leased, Outcome> {
  readonly #options: WorkerOptions<Item, Outcome>
  readonly #outage: Outage
  readonly #timing: Timing
  readonly #intake: Intake<Item>
  readonly #work: Work<Item, Outcome>
  #loop: Promise<void> | null = null
  #isStopping = false

  constructor(options: WorkerOptions<Item, Outcome>) {
    this.#options = options
    const { ledger, handler } = options
    const outage = new Outage(options.report)
    this.#outage = outage
    this.#timing = new Timing({ ledger, outage, missed: options.missed })
    this.#work = new Work({
      ...{ ledger, handler, outage },
      ended: () => this.#ended(),
      recorded: (settled, claimed) => this.#recorded(settled, claimed),
      regained: (items) => this.#take(items),
      unanswered: () => this.wake(),
    })
    const { concurrency, batch, backlogged } = options
    const release = (items: readonly Item[]) => this.#work.release(items)
    this.#intake = new Intake({ handler, concurrency, batch, backlogged, release, work: this.#work })
  }

  start(): void {
    this.#loop ??= this.#run()
    this.#work.start()
  }

  /** Wakes the worker because something may be due. */
  wake(): void {
    this.#timing.wake()
  }

  /** Begins no more runs, waits up to `grace` milliseconds for those in progress, and releases the rest. Gives the number released. */
  async stop(grace: number): Promise<number> {
    this.#isStopping = true
    this.#work.prepareStop()
    this.#timing.stop()
    this.#intake.stop()
    await this.#loop
    const unwatched = this.#timing.end()
    this.#intake.clear()
    const released = await this.#work.stop(grace)
    await unwatched
    return released
  }

  /**
   * Runs from shortly after the server is ready until it stops: the start itself has more urgent work. Requests and runs share one
   * shutdown timeout. `released`: called with the number of items released at the end, if there are any.
   */
  serve(serving: Serving, released?: (count: number) => void): void {
    let timer: NodeJS.Timeout | undefined
    let stopped: Promise<number> | undefined
    const stop = () => {
      clearTimeout(timer)
      stopped ??= this.stop(serving.settings.gracefulShutdownTimeout * 1000)
      return stopped
    }
    serving.onReady(() => {
      timer = setTimeout(() => this.start(), afterStartMillis).unref()
    })
    serving.onStopping(() => void stop().catch(() => {}))
    serving.onClose(async () => {
      const count = await stop()
      if (count > 0) released?.(count)
    })
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#timing.prepare()
      const room = await this.#intake.room()
      if (this.#isStopping) return
      const claimed = await this.#claim(room)
      if (claimed === null) await this.#timing.restAfterFailure()
      else if (claimed < room) await this.#timing.rest()
    }
  }

  /** The number of claimed items; null after a failure. */
  async #claim(limit: number): Promise<number | null> {
    try {
      await this.#work.releaseUnknown()
      const started = performance.now()
      this.#timing.began(started)
      const items = await this.#options.ledger.claim(limit, this.#work.held())
      this.#options.claimed?.(items.length, (performance.now() - started) / 1000)
      this.#outage.over()
      this.#intake.claimed(items.length, limit)
      this.#take(items)
      this.#timing.found(items.length)
      return items.length
    } catch (error) {
      this.#work.unanswered(error)
      return null
    }
  }

  /** Adds claimed items to the leases; a worker that stops releases them. */
  #take(items: readonly Item[]): void {
    const taken = this.#work.take(items)
    if (this.#isStopping) this.#work.release(taken)
    else {
      this.#intake.add(taken)
      this.#begin()
      this.#intake.releaseUnstartedLater()
    }
  }

  /** Begins runs while there is room. */
  #begin(): void {
    for (let next = this.#intake.next(); next; next = this.#intake.next()) this.#work.begin(next.item, next.waited)
  }

  #ended(): void {
    this.#intake.ended()
    if (!this.#isStopping) this.#begin()
    this.#intake.hasRoom()
  }

  #recorded(settled: readonly Settled<Item, Outcome>[], claimed: readonly Item[]): void {
    let awaited = 0
    let isMoreDue = false
    for (const { item, outcome } of settled) {
      if (item.is_awaited) awaited++
      const seconds = this.#options.handler.dueIn?.(outcome) ?? null
      if (seconds === null) continue
      // The pause of the loop was computed before this time was known.
      this.#timing.dueIn(seconds)
      isMoreDue = true
    }
    this.#take(claimed)
    if (isMoreDue || awaited > claimed.length) this.wake()
  }
}
