// When to ask: a claim follows a notification, a known due time, the watch, the ledger's poll interval, or a pause after a failure.

import type { QueueLedger } from './ledger.ts'
import type { Outage } from './outage.ts'
import { dueTimeGrainMillis, dueTimeHorizonMillis, firstRestMillis, longestRestMillis } from './tuning.ts'
import { Watch } from './watch.ts'

export interface TimingOptions {
  readonly ledger: Pick<QueueLedger<never, never>, 'pause' | 'watch'>
  readonly outage: Outage
  /** Called when a poll found due items without a notification for them. */
  missed?(): void
}

/** When a worker asks its ledger. */
export class Timing {
  readonly #options: TimingOptions
  readonly #dueTimes = new DueTimes()
  readonly #watch: Watch
  #isWoken = false
  #wakeUp: (() => void) | null = null
  #isStopped = false
  /** When the last claim began. */
  #looked = Number.NEGATIVE_INFINITY
  /** Whether the last claim followed a notification, and whether it followed a pause. */
  #wasNotified = false
  #isRested = false
  #restMillis = firstRestMillis

  constructor(options: TimingOptions) {
    this.#options = options
    const { ledger, outage } = options
    this.#watch = new Watch({ announce: ledger.watch?.bind(ledger), report: (error) => outage.failed(error) })
  }

  /** Something may be due: the pause ends, or the next one is left out. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp?.()
  }

  /** An item is due after this number of seconds. */
  dueIn(seconds: number): void {
    const now = performance.now()
    this.#dueTimes.add(now + seconds * 1000, now)
  }

  /** A claim is about to be made, once there is room: a notification from now on is for the next one. */
  prepare(): void {
    this.#wasNotified = this.#isWoken
    this.#isWoken = false
  }

  /** A claim begins. */
  began(now: number): void {
    this.#looked = now
  }

  /** The claim found this number of items. */
  found(count: number): void {
    const now = performance.now()
    this.#restMillis = firstRestMillis
    this.#watch.looked(now, count)
    const isMissed = count > 0 && this.#isRested && !this.#wasNotified && !this.#watch.mayBeUnnotified(now)
    this.#isRested = false
    if (isMissed) this.#options.missed?.()
  }

  /** Waits until the next poll. */
  async rest(): Promise<void> {
    this.#isRested = true
    if (this.#isWoken) return
    try {
      const known = await this.#options.ledger.pause()
      const now = performance.now()
      const pause = Math.min(known, this.#dueTimes.wait(this.#looked, now), this.#watch.pause(now))
      this.#isRested = pause > 0
      if (pause > 0) await this.#sleep(pause)
    } catch (error) {
      this.#options.outage.failed(error)
      await this.#pauseAfterFailure()
    }
  }

  /** Waits after a claim that failed; each time in a row twice as long. */
  async restAfterFailure(): Promise<void> {
    this.#isRested = false
    await this.#pauseAfterFailure()
  }

  async #pauseAfterFailure(): Promise<void> {
    this.#isWoken = false
    await this.#sleep(this.#restMillis)
    this.#restMillis = Math.min(longestRestMillis, this.#restMillis * 2)
  }

  /** Waits; `wake` ends it early. */
  async #sleep(millis: number): Promise<void> {
    if (this.#isWoken || this.#isStopped) return
    await new Promise<void>((done) => {
      const timer = setTimeout(done, millis)
      this.#wakeUp = () => {
        clearTimeout(timer)
        done()
      }
    })
    this.#wakeUp = null
  }

  /** Ends the pause, and leaves out all others. */
  stop(): void {
    this.#isStopped = true
    this.wake()
  }

  /** Withdraws the announcement that writers may rely on. */
  end(): Promise<void> {
    return this.#watch.end()
  }
}

/** When retried items are due again, as far as this instance knows, so that it need not ask the database. */
export class DueTimes {
  readonly #times = new Set<number>()
  #first = Number.POSITIVE_INFINITY

  /** Notes a due time. */
  add(at: number, now: number): void {
    if (at - now > dueTimeHorizonMillis) return
    const time = Math.ceil(at / dueTimeGrainMillis) * dueTimeGrainMillis
    this.#times.add(time)
    this.#first = Math.min(this.#first, time)
  }

  /** Milliseconds until the first due time; infinite: none is known. Times up to `looked` are forgotten. */
  wait(looked: number, now: number): number {
    if (this.#first <= looked) {
      for (const time of this.#times) if (time <= looked) this.#times.delete(time)
      this.#first = Math.min(Number.POSITIVE_INFINITY, ...this.#times)
    }
    return Math.max(0, this.#first - now)
  }
}
