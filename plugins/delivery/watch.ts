// How often a worker looks by itself while there is much to deliver, so that changes need not tell of it.
//
// PostgreSQL lets commits that notify through one after another, each with the disk or the standby that it waits for: sixteen clients
// that insert at once get a fifth of what they get otherwise. So a worker that finds much says in the database until when it watches,
// and who writes notifies nobody until then. It tells others itself, each time that it says so: they may have room for what it has none
// for, or serve what it does not. Beyond that time it goes on for a while, ever more seldom: what was written while
// nobody had to be told may be committed later.

import type { Claimed, Ledger } from './ledger.ts'
import { RecentCount } from './recent-count.ts'

/** Milliseconds for which a worker says that it watches, and of these the last ones in which it says so again. */
const saidMillis = 2000
const renewedMillis = 1000

/** In a window of so many milliseconds this much has to be found for that. */
const windowMillis = 200
const much = 20

/** Milliseconds between two looks: after one that found something, and at most, each being so many times the one before it. */
const shortestPause = 5
const longestPause = 135
const growth = 3

/** Milliseconds from when it does not watch any more to its last looks. */
const lateLooks = [500, 2500] as const

export interface WatchOptions {
  /** As a ledger does; absent: there is nothing to say. */
  readonly say: Ledger<Claimed>['watch'] | undefined
  report(error: unknown): void
}

/** All times are milliseconds by `performance.now()`. */
export class Watch {
  readonly #options: WatchOptions
  readonly #found = new RecentCount(windowMillis)
  #until = Number.NEGATIVE_INFINITY
  #saying: Promise<void> | null = null
  #pause: number = shortestPause
  #lastLook = Number.NEGATIVE_INFINITY

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Notes how much a look found. */
  looked(now: number, count: number): void {
    this.#found.add(count, now)
    this.#pause = count > 0 ? shortestPause : this.#pause * growth
    this.#lastLook = now
    if (!this.#options.say) return
    const isMuch = this.#found.most(now) >= much
    if (isMuch && this.#until - now < renewedMillis) this.#saying ??= this.#say(saidMillis)
    else if (this.#pause > longestPause && now < this.#until) this.#saying ??= this.#say(0)
  }

  /** Milliseconds until the next look; infinite: there is no reason for any. */
  pause(now: number): number {
    // What is being said may hold already.
    if (this.#saying || now < this.#until) return Math.min(this.#pause, longestPause)
    const next = lateLooks.find((millis) => this.#until + millis > this.#lastLook)
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, this.#until + next - now)
  }

  /** Whether there may be something that nobody told of for that reason. */
  mayBeUntold(now: number): boolean {
    return now < this.#until + lateLooks.at(-1)! + saidMillis
  }

  /** Says that nobody watches any more, where others may still rely on it. */
  async end(): Promise<void> {
    await this.#saying
    if (this.mayBeUntold(performance.now())) await this.#say(0)
  }

  async #say(millis: number): Promise<void> {
    const { say, report } = this.#options
    await say?.(millis).catch(report)
    // It may have been done even where there was no answer.
    this.#until = performance.now() + millis
    this.#saying = null
  }
}
