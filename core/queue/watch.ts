// How often a worker polls by itself while there is much to deliver, so that writers need not notify.
//
// PostgreSQL serializes commits that notify, with the disk or the standby that each waits for: 16 clients that insert at once get a
// fifth of their normal throughput. So a busy worker announces in the database until when it watches, and writers skip the
// notification until then. Each announcement notifies the other workers: they may have room that this one lacks, or serve
// triggers that it does not. After the last announcement ends, a few late polls remain: a transaction that skipped the
// notification may commit later.

import type { QueueLedger } from './ledger.ts'
import { RecentCount } from './recent-count.ts'
import {
  lateLookMillis,
  longestPollMillis,
  pollGrowth,
  rewatchMillis,
  shortestPollMillis,
  watchMillis,
  watchThreshold,
  watchWindowMillis,
} from './tuning.ts'

export interface WatchOptions {
  /** {@link QueueLedger.watch}; absent: the ledger cannot announce, and writers always notify. */
  readonly announce: QueueLedger<never, never>['watch'] | undefined
  report(error: unknown): void
}

/** All times are milliseconds by `performance.now()`. */
export class Watch {
  readonly #options: WatchOptions
  readonly #found = new RecentCount(watchWindowMillis)
  #until = Number.NEGATIVE_INFINITY
  #announcing: Promise<void> | null = null
  #pause: number = shortestPollMillis
  #lastLook = Number.NEGATIVE_INFINITY

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Counts the items that a poll found. */
  looked(now: number, count: number): void {
    this.#found.add(count, now)
    this.#pause = count > 0 ? shortestPollMillis : this.#pause * pollGrowth
    this.#lastLook = now
    if (!this.#options.announce) return
    const isBusy = this.#found.most(now) >= watchThreshold
    if (isBusy && this.#until - now < rewatchMillis) this.#announcing ??= this.#announce(watchMillis)
    else if (this.#pause > longestPollMillis && now < this.#until) this.#announcing ??= this.#announce(0)
  }

  /** Milliseconds until the next poll; infinite: no poll is needed. */
  pause(now: number): number {
    // An announcement whose answer is pending may already be in effect.
    if (this.#announcing || now < this.#until) return Math.min(this.#pause, longestPollMillis)
    const next = lateLookMillis.find((millis) => this.#until + millis > this.#lastLook)
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, this.#until + next - now)
  }

  /** Whether there may be due items whose writers skipped the notification. */
  mayBeUnnotified(now: number): boolean {
    return now < this.#until + lateLookMillis.at(-1)! + watchMillis
  }

  /** Withdraws the announcement while writers may still rely on it. */
  async end(): Promise<void> {
    await this.#announcing
    if (this.mayBeUnnotified(performance.now())) await this.#announce(0)
  }

  async #announce(millis: number): Promise<void> {
    const { announce, report } = this.#options
    await announce?.(millis).catch(report)
    // Without an answer it may still have taken effect.
    this.#until = performance.now() + millis
    this.#announcing = null
  }
}
