// Takes what is due from a ledger, delivers it, and writes down what came of it. Several workers, on one instance or many,
// may work on one ledger: what one has claimed the others pass over, until its lease ends.

import { messageWithCause } from '../../sdk/index.ts'
import { Backlogged } from './backlogged.ts'
import { DueTimes } from './due-times.ts'
import { Hand } from './hand.ts'
import { Held } from './held.ts'
import { type Claimed, isFinal, type Ledger, leaseSeconds, type Outcome, type Settled } from './ledger.ts'
import type { DeliveryMeasures } from './measures.ts'
import { Recorder } from './recorder.ts'
import { Watch } from './watch.ts'

export interface WorkerOptions<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** Deliveries at once. */
  readonly concurrency: number
  /** The most that is claimed at once. */
  readonly batch: number
  /** Told of what the worker goes on after: a database that is away, most of all. The same in a row is told once. */
  report(message: string): void
  /** Told that something was due of which nobody had told. */
  missed(): void
  /** Told when it claims whole batches one after the other, and when that is over. */
  backlogged?(isBacklogged: boolean): void
  /** Told of each outcome. */
  settled(item: Item, outcome: Outcome): void
  readonly measures: Pick<DeliveryMeasures, 'began' | 'ended' | 'claimed' | 'settled'>
}

/** Milliseconds that a worker rests after the database refused it something: longer each time. */
const firstRestMillis = 500
const longestRestMillis = 15_000

/** Milliseconds that a busy worker waits for more room before it claims for little. */
const roomMillis = 20

/** Seconds after which something is tried again that could not be. */
const laterSeconds = 60

const renewMillis = (leaseSeconds * 1000) / 3

/** So many batches may be in hand at most: the next one is there before what is in hand is begun, though the database is busy. */
const batchesInHand = 3

/** Milliseconds after which is given back what was not begun. */
const handMillis = 1000

/** More outcomes than this not being written down, nothing is begun. */
const mostUnrecorded = 1000

/** More characters than this being held, nothing is claimed: each takes several bytes while it is sent. */
const mostHeld = 2 ** 27

const secondsSince = (started: number): number => (performance.now() - started) / 1000

export class DeliveryWorker<Item extends Claimed> {
  readonly #options: WorkerOptions<Item>
  readonly #recorder: Recorder<Item>
  readonly #held = new Held<Item>()
  /** What of that is not begun. */
  readonly #hand = new Hand<Item>()
  readonly #dueTimes = new DueTimes()
  readonly #watch: Watch
  readonly #backlogged: Backlogged
  readonly #abort = new AbortController()
  readonly #stopped = Promise.withResolvers<void>()
  #delivering = 0
  #stopping = false
  #isWoken = false
  #wakeUp: (() => void) | null = null
  /** Told when there is room for so much that claiming is worth a statement. */
  #roomMade: (() => void) | null = null
  #loop: Promise<void> | null = null
  #renewing: NodeJS.Timeout | undefined
  #puttingDown: NodeJS.Timeout | undefined
  /** When the last look for what is due began. */
  #looked = Number.NEGATIVE_INFINITY
  /** Whether this worker may have claimed what it was not told of, since no answer came. */
  #mayHaveUntold = false
  /** What was given back at the end, and what is being. */
  #givenBack = 0
  readonly #givingBack = new Set<Promise<void>>()
  #drained: (() => void) | null = null
  #reported: string | null = null
  /** Since something went well. */
  #failures = 0
  #restMillis = firstRestMillis

  constructor(options: WorkerOptions<Item>) {
    this.#options = options
    const { ledger } = options
    this.#recorder = new Recorder({
      record: async (settled) => this.#recorded(settled, await ledger.record(settled)),
      report: (error) => this.#report(error),
    })
    this.#backlogged = new Backlogged(options.batch, (isBacklogged) => options.backlogged?.(isBacklogged))
    this.#watch = new Watch({ say: ledger.watch?.bind(ledger), report: (error) => this.#report(error) })
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
    this.#stopped.resolve()
    this.wake()
    this.#roomMade?.()
    await this.#loop
    const unwatched = this.#watch.end()
    const patience = AbortSignal.timeout(Math.max(1, grace))
    clearTimeout(this.#puttingDown)
    this.#giveBack(this.#hand.putDown())
    await this.#drain(patience)
    this.#abort.abort()
    // Longer than that it may take to write down what was delivered.
    await this.#recorder.finish(AbortSignal.timeout(Math.max(1000, grace)))
    clearInterval(this.#renewing)
    this.#giveBack([...this.#held.all()])
    await Promise.all([...this.#givingBack, unwatched])
    if (this.#mayHaveUntold) await this.#options.ledger.releaseUntold([]).catch((error) => this.#report(error))
    return this.#givenBack
  }

  /** Gives back what is not delivered. */
  #giveBack(items: readonly Item[]): void {
    if (items.length === 0) return
    const ids = items.map(({ id }) => id)
    for (const id of ids) this.#held.end(id)
    if (this.#stopping) this.#givenBack += ids.length
    const { ledger } = this.#options
    // A connection that was lost is there again at once, most of the time.
    const giving = ledger
      .release(ids)
      .catch(() => ledger.release(ids))
      .catch((error) => this.#unanswered(error))
      .then(() => void this.#givingBack.delete(giving))
    this.#givingBack.add(giving)
  }

  /** Gives back, after a while, what was claimed and is not begun since webhooks became slow: others may have room for it. */
  #putDownLater(): void {
    if (this.#hand.size === 0 || this.#puttingDown) return
    this.#puttingDown = setTimeout(() => {
      this.#puttingDown = undefined
      this.#giveBack(this.#hand.putDown(performance.now() - handMillis))
      this.#putDownLater()
    }, handMillis).unref()
  }

  /** Notes that something was asked of the ledger, which may have been done. */
  #unanswered(error: unknown): void {
    this.#report(error)
    this.#mayHaveUntold = true
    this.wake()
  }

  /** Gives back what this worker was not told of. */
  async #giveBackUntold(): Promise<void> {
    const release = async () => {
      if (this.#stopping) return
      // Nothing is claimed meanwhile, by outcomes neither.
      await this.#options.ledger.releaseUntold([...this.#held.all()].map(({ id }) => id))
      this.#mayHaveUntold = false
    }
    await Promise.race([this.#recorder.between(release), this.#stopped.promise])
  }

  async #run(): Promise<void> {
    // It is no news that there was something at the start.
    let isRested = false
    while (!this.#stopping) {
      const isTold = this.#isWoken
      this.#isWoken = false
      const room = await this.#room()
      if (this.#stopping) return
      const claimed = await this.#claim(room)
      if (claimed && isRested && !isTold && !this.#watch.mayBeUntold(performance.now())) this.#options.missed()
      isRested = false
      if (claimed === null) await this.#restAfterFailure()
      else if (claimed < room) isRested = await this.#rest()
    }
  }

  /** How much may be claimed, when that is worth a statement. */
  async #room(): Promise<number> {
    const { batch } = this.#options
    if (this.#free < this.#worthwhile) await this.#moreRoom()
    return Math.max(1, Math.min(batch, this.#free))
  }

  /** How much may be claimed. */
  get #free(): number {
    if (this.#recorder.pending > mostUnrecorded || this.#held.size > mostHeld) return 0
    const { concurrency, batch } = this.#options
    const inHand = Math.min(batchesInHand * batch, this.#hand.room(performance.now()))
    return concurrency + inHand - this.#delivering - this.#hand.size
  }

  /** A claim costs the same whatever it gives: as long as there is enough in hand, it waits for a whole batch. */
  get #worthwhile(): number {
    const { concurrency, batch } = this.#options
    return this.#hand.size >= batch ? batch : Math.ceil(Math.min(concurrency, batch) / 4)
  }

  /** Waits until there is room for much, and after a while for anything. */
  async #moreRoom(): Promise<void> {
    let needed = this.#worthwhile
    const patience = setInterval(() => {
      needed = 1
      this.#roomMade?.()
    }, roomMillis)
    await new Promise<void>((done) => {
      this.#roomMade = () => {
        if (this.#stopping || this.#free >= needed) done()
      }
    })
    this.#roomMade = null
    clearInterval(patience)
  }

  /** Waits until it is worth looking again; whether that took any time. */
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

  /** A connection that was lost and is there again is no news: what fails twice is told, once. */
  #report(error: unknown): void {
    const message = messageWithCause(error)
    this.#failures++
    if (this.#failures < 2 || message === this.#reported) return
    this.#reported = message
    this.#options.report(message)
  }

  /** How many were claimed; null when they could not be. */
  async #claim(limit: number): Promise<number | null> {
    try {
      if (this.#mayHaveUntold) await this.#giveBackUntold()
      const started = performance.now()
      this.#looked = started
      const items = await this.#options.ledger.claim(limit, this.#held.all())
      this.#options.measures.claimed(items.length, secondsSince(started))
      this.#reported = null
      this.#failures = 0
      this.#restMillis = firstRestMillis
      this.#watch.looked(performance.now(), items.length)
      this.#backlogged.claimed(items.length, limit)
      this.#take(items)
      return items.length
    } catch (error) {
      this.#report(error)
      this.#mayHaveUntold = true
      return null
    }
  }

  /** Holds what was claimed; a worker that stops takes nothing more. */
  #take(items: readonly Item[]): void {
    const taken = this.#held.take(items)
    if (this.#stopping) this.#giveBack(taken)
    else {
      this.#hand.add(taken, performance.now())
      this.#begin()
      this.#putDownLater()
    }
  }

  /** Begins as much as there is room for. */
  #begin(): void {
    while (this.#delivering < this.#options.concurrency) {
      const next = this.#hand.take()
      if (!next) return
      this.#delivering++
      void this.#deliver(next.item, secondsSince(next.since)).then(() => this.#ended())
    }
  }

  #ended(): void {
    this.#delivering--
    this.#hand.delivered(performance.now())
    if (!this.#stopping) this.#begin()
    this.#roomMade?.()
    if (this.#delivering === 0) this.#drained?.()
  }

  /** Must not reject; `waited`: seconds since it was claimed. */
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
      // It stays held, and is given back.
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
    const claimedAgain: Item[] = []
    for (const { item, outcome } of settled) {
      const { id, state, delay } = outcome
      if (item.is_awaited) awaited++
      const again = this.#held.end(id)
      if (again) claimedAgain.push(again)
      if (isFinal(state)) continue
      // How long to rest was known before this came.
      this.#dueTimes.add(now + delay * 1000, now)
      isMoreDue = true
    }
    this.#take(claimed)
    if (claimedAgain.length > 0) void this.#takeAgain(claimedAgain)
    if (isMoreDue || awaited > claimed.length) this.wake()
  }

  /** Holds what was claimed while it was held, where that was after its outcome. Must not reject. */
  async #takeAgain(items: readonly Item[]): Promise<void> {
    const ids = items.map(({ id }) => id)
    const ours = await this.#options.ledger.renew(ids).catch((error): readonly string[] => {
      this.#unanswered(error)
      return []
    })
    this.#held.settle(ids)
    this.#take(items.filter(({ id }) => ours.includes(id)))
  }

  async #renew(): Promise<void> {
    if (this.#held.count === 0) return
    await this.#options.ledger.renew(this.#held.ids()).catch((error) => this.#report(error))
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
