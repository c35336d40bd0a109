// Claims due items from a ledger, delivers them, and records the outcomes. Several workers, on one instance or many, may share
// a ledger: they skip the items that another worker holds a lease on.

import { messageWithCause } from '../../sdk/index.ts'
import { BacklogDetector } from './backlog-detector.ts'
import { DueTimes } from './due-times.ts'
import { Leases } from './leases.ts'
import { type Claimed, isFinal, type Ledger, type Outcome, type Settled } from './ledger.ts'
import type { DeliveryMeasures } from './measures.ts'
import { Prefetch } from './prefetch.ts'
import { Recorder } from './recorder.ts'
import {
  firstRestMillis,
  laterSeconds,
  longestRestMillis,
  mostLeasedCharacters,
  mostUnrecorded,
  prefetchedBatches,
  prefetchMillis,
  renewMillis,
  roomMillis,
} from './tuning.ts'
import { Watch } from './watch.ts'

export interface WorkerOptions<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** Deliveries at once. */
  readonly concurrency: number
  /** The maximum number of items per claim. */
  readonly batch: number
  /** Reports failures after which the worker continues, such as a lost database. A repeated message is reported once. */
  report(message: string): void
  /** Called when a poll found due items without a notification for them. */
  missed(): void
  /** Called when the worker starts to claim full batches one after another, and when that ends. */
  backlogged?(isBacklogged: boolean): void
  /** Called for each outcome. */
  settled(item: Item, outcome: Outcome): void
  readonly measures: Pick<DeliveryMeasures, 'began' | 'ended' | 'claimed' | 'settled'>
}

const secondsSince = (started: number): number => (performance.now() - started) / 1000

export class DeliveryWorker<Item extends Claimed> {
  readonly #options: WorkerOptions<Item>
  readonly #recorder: Recorder<Item>
  readonly #leases = new Leases<Item>()
  /** The leased items whose delivery has not begun. */
  readonly #prefetched = new Prefetch<Item>()
  readonly #dueTimes = new DueTimes()
  readonly #watch: Watch
  readonly #backlog: BacklogDetector
  readonly #abort = new AbortController()
  readonly #stopped = Promise.withResolvers<void>()
  #delivering = 0
  #stopping = false
  #isWoken = false
  #wakeUp: (() => void) | null = null
  /** Called when a delivery ends; set while the worker waits for room. */
  #onRoom: (() => void) | null = null
  #loop: Promise<void> | null = null
  #renewing: NodeJS.Timeout | undefined
  #unstartedTimer: NodeJS.Timeout | undefined
  /** When the last claim began. */
  #looked = Number.NEGATIVE_INFINITY
  /** Whether this worker may hold leases that it does not know of, because a claim got no answer. */
  #mayHaveUnknownLeases = false
  /** The number of items released while stopping, and the releases in flight. */
  #released = 0
  readonly #releasing = new Set<Promise<void>>()
  #drained: (() => void) | null = null
  #reported: string | null = null
  /** Failures since the last success. */
  #failures = 0
  #restMillis = firstRestMillis

  constructor(options: WorkerOptions<Item>) {
    this.#options = options
    const { ledger } = options
    this.#recorder = new Recorder({
      record: async (settled) => this.#recorded(settled, await ledger.record(settled)),
      report: (error) => this.#report(error),
    })
    this.#backlog = new BacklogDetector(options.batch, (isBacklogged) => options.backlogged?.(isBacklogged))
    this.#watch = new Watch({ announce: ledger.watch?.bind(ledger), report: (error) => this.#report(error) })
  }

  start(): void {
    this.#loop ??= this.#run()
    this.#renewing ??= setInterval(() => void this.#renew(), renewMillis).unref()
  }

  /** Wakes the worker because something may be due. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp?.()
  }

  /** Begins no more deliveries, waits up to `grace` milliseconds for those in flight, and releases the rest. Gives the number released. */
  async stop(grace: number): Promise<number> {
    this.#stopping = true
    this.#stopped.resolve()
    this.wake()
    this.#onRoom?.()
    await this.#loop
    const unwatched = this.#watch.end()
    const timeout = AbortSignal.timeout(Math.max(1, grace))
    clearTimeout(this.#unstartedTimer)
    this.#release(this.#prefetched.remove())
    await this.#drain(timeout)
    this.#abort.abort()
    // Recording gets at least a second, even when the grace period is shorter.
    await this.#recorder.finish(AbortSignal.timeout(Math.max(1000, grace)))
    clearInterval(this.#renewing)
    this.#release([...this.#leases.all()])
    await Promise.all([...this.#releasing, unwatched])
    if (this.#mayHaveUnknownLeases) await this.#options.ledger.releaseUnknown([]).catch((error) => this.#report(error))
    return this.#released
  }

  /** Ends the leases of items that are not delivered. */
  #release(items: readonly Item[]): void {
    if (items.length === 0) return
    const ids = items.map(({ id }) => id)
    for (const id of ids) this.#leases.end(id)
    if (this.#stopping) this.#released += ids.length
    const { ledger } = this.#options
    // A lost connection is usually back at once, so one retry is enough.
    const releasing = ledger
      .release(ids)
      .catch(() => ledger.release(ids))
      .catch((error) => this.#unanswered(error))
      .then(() => void this.#releasing.delete(releasing))
    this.#releasing.add(releasing)
  }

  /** Releases prefetched items that wait too long because webhooks became slow: other workers may have room for them. */
  #releaseUnstartedLater(): void {
    if (this.#prefetched.size === 0 || this.#unstartedTimer) return
    this.#unstartedTimer = setTimeout(() => {
      this.#unstartedTimer = undefined
      this.#release(this.#prefetched.remove(performance.now() - prefetchMillis))
      this.#releaseUnstartedLater()
    }, prefetchMillis).unref()
  }

  /** Notes that a request to the ledger may have taken effect although it failed. */
  #unanswered(error: unknown): void {
    this.#report(error)
    this.#mayHaveUnknownLeases = true
    this.wake()
  }

  /** Releases the leases that this worker does not know of. */
  async #releaseUnknown(): Promise<void> {
    const release = async () => {
      if (this.#stopping) return
      // `between` keeps records, which may claim too, from running at the same time.
      await this.#options.ledger.releaseUnknown([...this.#leases.all()].map(({ id }) => id))
      this.#mayHaveUnknownLeases = false
    }
    await Promise.race([this.#recorder.between(release), this.#stopped.promise])
  }

  async #run(): Promise<void> {
    // Items that are due at the start need no notification.
    let isRested = false
    while (!this.#stopping) {
      const wasNotified = this.#isWoken
      this.#isWoken = false
      const room = await this.#room()
      if (this.#stopping) return
      const claimed = await this.#claim(room)
      if (claimed && isRested && !wasNotified && !this.#watch.mayBeUnnotified(performance.now())) this.#options.missed()
      isRested = false
      if (claimed === null) await this.#restAfterFailure()
      else if (claimed < room) isRested = await this.#rest()
    }
  }

  /** The number of items to claim, once that number is worth a statement. */
  async #room(): Promise<number> {
    const { batch } = this.#options
    if (this.#free < this.#worthwhile) await this.#moreRoom()
    return Math.max(1, Math.min(batch, this.#free))
  }

  /** The number of items that may be claimed now. */
  get #free(): number {
    if (this.#recorder.pending > mostUnrecorded || this.#leases.size > mostLeasedCharacters) return 0
    const { concurrency, batch } = this.#options
    const prefetchable = Math.min(prefetchedBatches * batch, this.#prefetched.room(performance.now()))
    return concurrency + prefetchable - this.#delivering - this.#prefetched.size
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
        if (this.#stopping || this.#free >= needed) done()
      }
    })
    this.#onRoom = null
    clearInterval(timeout)
  }

  /** Waits until the next poll; gives whether that took any time. */
  async #rest(): Promise<boolean> {
    if (this.#isWoken) return true
    try {
      const known = await this.#options.ledger.pause()
      const now = performance.now()
      const pause = Math.min(known, this.#dueTimes.wait(this.#looked, now), this.#watch.pause(now))
      if (pause > 0) await this.#sleep(pause)
      return pause > 0
    } catch (error) {
      this.#report(error)
      await this.#restAfterFailure()
      return true
    }
  }

  async #restAfterFailure(): Promise<void> {
    this.#isWoken = false
    await this.#sleep(this.#restMillis)
    this.#restMillis = Math.min(longestRestMillis, this.#restMillis * 2)
  }

  /** Reports an error when it happens twice in a row: one lost connection is not worth a log line. Repeats are not reported. */
  #report(error: unknown): void {
    const message = messageWithCause(error)
    this.#failures++
    if (this.#failures < 2 || message === this.#reported) return
    this.#reported = message
    this.#options.report(message)
  }

  /** The number of claimed items; null after a failure. */
  async #claim(limit: number): Promise<number | null> {
    try {
      if (this.#mayHaveUnknownLeases) await this.#releaseUnknown()
      const started = performance.now()
      this.#looked = started
      const items = await this.#options.ledger.claim(limit, this.#leases.all())
      this.#options.measures.claimed(items.length, secondsSince(started))
      this.#reported = null
      this.#failures = 0
      this.#restMillis = firstRestMillis
      this.#watch.looked(performance.now(), items.length)
      this.#backlog.claimed(items.length, limit)
      this.#take(items)
      return items.length
    } catch (error) {
      this.#report(error)
      this.#mayHaveUnknownLeases = true
      return null
    }
  }

  /** Adds claimed items to the leases; a worker that stops releases them. */
  #take(items: readonly Item[]): void {
    const taken = this.#leases.take(items)
    if (this.#stopping) this.#release(taken)
    else {
      this.#prefetched.add(taken, performance.now())
      this.#begin()
      this.#releaseUnstartedLater()
    }
  }

  /** Begins deliveries while there is room. */
  #begin(): void {
    const { concurrency, ledger } = this.#options
    while (this.#delivering < concurrency) {
      const next = this.#prefetched.take((item) => ledger.mayBegin?.(item) ?? true)
      if (!next) return
      this.#delivering++
      void this.#deliver(next.item, secondsSince(next.since)).then(() => this.#ended())
    }
  }

  #ended(): void {
    this.#delivering--
    this.#prefetched.delivered(performance.now())
    if (!this.#stopping) this.#begin()
    this.#onRoom?.()
    if (this.#delivering === 0) this.#drained?.()
  }

  /** Must not reject; `waited`: seconds since the claim. */
  async #deliver(item: Item, waited: number): Promise<void> {
    const { ledger, settled, measures } = this.#options
    const started = performance.now()
    measures.began(item)
    try {
      const outcome = await ledger.deliver(item, this.#abort.signal)
      this.#recorder.add({ item, outcome })
      measures.settled(item, outcome, { late: item.late + waited, took: secondsSince(started) })
      settled(item, outcome)
    } catch (error) {
      // The lease stays, and `stop` releases it.
      if (this.#abort.signal.aborted) return
      this.#report(error)
      this.#recorder.add({ item, outcome: { id: item.id, attempt: null, state: 'later', delay: laterSeconds } })
    } finally {
      measures.ended(item)
    }
  }

  #recorded(settled: readonly Settled<Item>[], claimed: readonly Item[]): void {
    const now = performance.now()
    let awaited = 0
    let isMoreDue = false
    const reclaimed: Item[] = []
    for (const { item, outcome } of settled) {
      const { id, state, delay } = outcome
      if (item.is_awaited) awaited++
      const again = this.#leases.end(id)
      if (again) reclaimed.push(again)
      if (isFinal(state)) continue
      // The pause of the loop was computed before this time was known.
      this.#dueTimes.add(now + delay * 1000, now)
      isMoreDue = true
    }
    this.#take(claimed)
    if (reclaimed.length > 0) void this.#takeReclaimed(reclaimed)
    if (isMoreDue || awaited > claimed.length) this.wake()
  }

  /** Asks the ledger whether items that were claimed again while leased are leased now. Must not reject. */
  async #takeReclaimed(items: readonly Item[]): Promise<void> {
    const ids = items.map(({ id }) => id)
    const ours = await this.#options.ledger.renew(ids).catch((error): readonly string[] => {
      this.#unanswered(error)
      return []
    })
    this.#leases.settle(ids)
    this.#take(items.filter(({ id }) => ours.includes(id)))
  }

  async #renew(): Promise<void> {
    if (this.#leases.count === 0) return
    await this.#options.ledger.renew(this.#leases.ids()).catch((error) => this.#report(error))
  }

  /** Waits until no delivery is in flight, or the signal aborts. */
  async #drain(signal: AbortSignal): Promise<void> {
    if (this.#delivering === 0) return
    await new Promise<void>((done) => {
      this.#drained = done
      signal.addEventListener('abort', () => done(), { once: true })
    })
  }

  /** Waits; `wake` ends it early. */
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
