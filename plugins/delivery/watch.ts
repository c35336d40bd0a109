// How often a worker looks by itself while there is much to deliver, so that changes need not tell of it.
//
// PostgreSQL lets commits that notify through one after another, each with the disk or the standby that it waits for: sixteen clients
// that insert at once get a fifth of what they get otherwise. So a worker that finds much says in the database until when it watches,
// and who writes notifies nobody until then. Beyond that time it goes on for a while, ever more seldom: what was written while
// nobody had to be told may be committed later.

/** Milliseconds for which a worker says that it watches, and of these the last ones in which it says so again. */
const saidMillis = 2000
const renewedMillis = 1000

/** In a window of so many milliseconds this much has to be found for that. */
const windowMillis = 200
const much = 20

/** Milliseconds between two looks: after one that found something, and at most. */
const shortestPause = 5
const longestPause = 100

/** Milliseconds from when it does not watch any more to its last looks. */
const lateLooks = [250, 750, 1750, 3750, 7750] as const

export interface WatchOptions {
  /** Says for how many milliseconds nobody has to tell of what is due; 0: from now on they have to. Absent: they always have to. */
  readonly say: ((millis: number) => Promise<void>) | undefined
  report(error: unknown): void
}

/** All times are milliseconds by `performance.now()`. */
export class Watch {
  readonly #options: WatchOptions
  #window = Number.NEGATIVE_INFINITY
  #inWindow = 0
  #inLastWindow = 0
  #until = Number.NEGATIVE_INFINITY
  #saying: Promise<void> | null = null
  #pause: number = shortestPause
  #lastLook = Number.NEGATIVE_INFINITY

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Notes how much a look found. */
  looked(now: number, count: number): void {
    this.#turn(now)
    this.#inWindow += count
    this.#pause = count > 0 ? shortestPause : Math.min(this.#pause * 2, longestPause)
    this.#lastLook = now
    const isMuch = Math.max(this.#inWindow, this.#inLastWindow) >= much
    if (isMuch && this.#until - now < renewedMillis) this.#saying ??= this.#say(saidMillis)
  }

  /** Milliseconds until the next look; infinite: there is no reason for any. */
  pause(now: number): number {
    if (now < this.#until) return this.#pause
    const next = lateLooks.find((millis) => this.#until + millis > this.#lastLook)
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, this.#until + next - now)
  }

  /** Whether there may be something that nobody told of for that reason. */
  mayBeUntold(now: number): boolean {
    return now < this.#until + lateLooks.at(-1)! + saidMillis
  }

  /** Says that it does not watch any more, where it said that it does. */
  async end(): Promise<void> {
    await this.#saying
    if (performance.now() < this.#until) await this.#say(0)
  }

  async #say(millis: number): Promise<void> {
    const { say, report } = this.#options
    if (!say) return
    await say(millis).catch(report)
    // It may have been done even where there was no answer.
    this.#until = performance.now() + millis
    this.#saying = null
  }

  #turn(now: number): void {
    const window = Math.floor(now / windowMillis)
    if (window === this.#window) return
    this.#inLastWindow = window === this.#window + 1 ? this.#inWindow : 0
    this.#inWindow = 0
    this.#window = window
  }
}
