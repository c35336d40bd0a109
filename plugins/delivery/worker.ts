// Takes what is due from a ledger, delivers it, and writes down what came of it. Several workers, on one instance or many,
// may work on one ledger: what one has claimed the others pass over, until its lease ends.

import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../sdk/index.ts'
import { type Claimed, type Ledger, leaseSeconds, type Outcome } from './ledger.ts'
import type { DeliveryMeasures } from './measures.ts'
import { Recorder } from './recorder.ts'

export interface WorkerOptions<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** Deliveries at once. */
  readonly concurrency: number
  /** The most that is claimed at once. */
  readonly batch: number
  /** Told of what the worker goes on after: a database that is away, most of all. The same in a row is told once. */
  report(message: string): void
  /** Told of each outcome. */
  settled(item: Item, outcome: Outcome): void
  readonly measures: Pick<DeliveryMeasures, 'during' | 'claimed' | 'settled'>
}

/** Milliseconds that a worker rests after the database refused it something: longer each time. */
const firstRestMillis = 500
const longestRestMillis = 15_000

/** Milliseconds that a busy worker waits for more room before it claims for little. */
const roomMillis = 20

/** Seconds after which something is tried again that could not be. */
const laterSeconds = 60

const renewMillis = (leaseSeconds * 1000) / 3

/** More outcomes than this not being written down, nothing is begun. */
const mostUnrecorded = 1000

const secondsSince = (started: number): number => (performance.now() - started) / 1000

export class DeliveryWorker<Item extends Claimed> {
  readonly #options: WorkerOptions<Item>
  readonly #recorder: Recorder
  /** All that is claimed and not written down, by id. */
  readonly #held = new Map<string, Item>()
  readonly #abort = new AbortController()
  #delivering = 0
  #stopping = false
  #isWoken = false
  #wakeUp: (() => void) | null = null
  #loop: Promise<void> | null = null
  #renewing: NodeJS.Timeout | undefined
  #drained: (() => void) | null = null
  #reported: string | null = null
  /** Since something went well. */
  #failures = 0
  #restMillis = firstRestMillis

  constructor(options: WorkerOptions<Item>) {
    this.#options = options
    const { ledger } = options
    this.#recorder = new Recorder({
      record: (outcomes) => ledger.record(outcomes),
      recorded: (outcomes) => this.#recorded(outcomes),
      report: (error) => this.#report(error),
    })
  }

  start(): void {
    this.#loop ??= this.#run()
    this.#renewing ??= setInterval(() => void this.#renew(), renewMillis).unref()
  }

  /** Says that something may be due. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp?.()
  }

  /** Begins nothing more, lets what is under way end within `grace` milliseconds, and gives back the rest; how much that was. */
  async stop(grace: number): Promise<number> {
    this.#stopping = true
    this.wake()
    await this.#loop
    const patience = AbortSignal.timeout(Math.max(1, grace))
    await this.#drain(patience)
    this.#abort.abort()
    // Longer than that it may take to write down what was delivered.
    await this.#recorder.finish(AbortSignal.timeout(Math.max(1000, grace)))
    clearInterval(this.#renewing)
    const left = [...this.#held.keys()]
    if (left.length > 0) await this.#options.ledger.release(left).catch((error) => this.#report(error))
    return left.length
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#isWoken = false
      const room = await this.#room()
      if (this.#stopping) return
      const claimed = await this.#claim(room)
      if (claimed === null) await this.#restAfterFailure()
      else if (claimed < room) await this.#rest()
    }
  }

  /** How much may be claimed, when that is worth a statement. */
  async #room(): Promise<number> {
    const { concurrency, batch } = this.#options
    const free = () => (this.#recorder.pending > mostUnrecorded ? 0 : concurrency - this.#delivering)
    const wanted = Math.ceil(Math.min(concurrency, batch) / 4)
    while (free() < wanted && !this.#stopping) {
      await sleep(roomMillis)
      if (free() > 0) break
    }
    return Math.max(1, Math.min(batch, free()))
  }

  async #rest(): Promise<void> {
    if (this.#isWoken) return
    try {
      await this.#sleep(await this.#options.ledger.pause())
    } catch (error) {
      this.#report(error)
      await this.#restAfterFailure()
    }
  }

  async #restAfterFailure(): Promise<void> {
    this.#isWoken = false
    await this.#sleep(this.#restMillis)
    this.#restMillis = Math.min(longestRestMillis, this.#restMillis * 2)
  }

  /** A connection that was lost and is there again is no news: what fails twice is told, once. */
  #report(error: unknown): void {
    const message = messageOf(error)
    this.#failures++
    if (this.#failures < 2 || message === this.#reported) return
    this.#reported = message
    this.#options.report(message)
  }

  /** How many were claimed; null when they could not be. */
  async #claim(limit: number): Promise<number | null> {
    try {
      const started = performance.now()
      const items = await this.#options.ledger.claim(limit)
      this.#options.measures.claimed(items.length, secondsSince(started))
      this.#reported = null
      this.#failures = 0
      this.#restMillis = firstRestMillis
      for (const item of items) this.#begin(item)
      return items.length
    } catch (error) {
      this.#report(error)
      return null
    }
  }

  #begin(item: Item): void {
    this.#held.set(item.id, item)
    this.#delivering++
    void this.#deliver(item).finally(() => {
      this.#delivering--
      if (this.#delivering === 0) this.#drained?.()
    })
  }

  async #deliver(item: Item): Promise<void> {
    const { ledger, settled, measures } = this.#options
    const started = performance.now()
    try {
      const outcome = await measures.during(item, () => ledger.deliver(item, this.#abort.signal))
      this.#recorder.add(outcome)
      measures.settled(item, outcome, secondsSince(started))
      settled(item, outcome)
    } catch (error) {
      // It stays held, and is given back.
      if (this.#abort.signal.aborted) return
      this.#report(error)
      this.#recorder.add({ id: item.id, attempt: null, state: 'later', delay: laterSeconds })
    }
  }

  #recorded(outcomes: readonly Outcome[]): void {
    let isMoreDue = false
    for (const { id, state } of outcomes) {
      // How long to rest was known before these came, and others may have waited for them.
      isMoreDue ||= state === 'retry' || state === 'later' || this.#held.get(id)?.is_ordered === true
      this.#held.delete(id)
    }
    if (isMoreDue) this.wake()
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return
    await this.#options.ledger.renew([...this.#held.keys()]).catch((error) => this.#report(error))
  }

  /** Waits until nothing is under way, or the signal aborts. */
  async #drain(signal: AbortSignal): Promise<void> {
    if (this.#delivering === 0) return
    await new Promise<void>((done) => {
      this.#drained = done
      signal.addEventListener('abort', () => done(), { once: true })
    })
  }

  /** Waits, unless somebody wakes it. */
  async #sleep(millis: number): Promise<void> {
    if (this.#isWoken || this.#stopping) return
    await new Promise<void>((done) => {
      const timer = setTimeout(done, millis)
      this.#wakeUp = () => {
        clearTimeout(timer)
        done()
      }
    })
    this.#wakeUp = null
  }
}
