// Whether short writes share connections or have one each. Sharing saves system calls and changes of process, and is best
// where the processor is what limits; connections of their own wait together for a slow disk or a standby, and are best
// there. Which of them gets more writes done is tried now and then, when there are enough writes to tell.

export type Route = 'shared' | 'own'

/** Writes of which one measurement is made. */
const windowWrites = 256

/** At the beginning of a window some are still on their way by the other route, and do not count. */
const settling = 32

/** With fewer on their way when one begins the routes hardly differ, and what is measured is how many are asked for. */
const enoughAtOnce = 4

/** After so many measurements the other route is measured again: soon at first, while the program is still warming up. */
const [fewestBetweenTrials, mostBetweenTrials] = [2, 64]

/** By this factor the best measurement so far loses its worth with each that follows. */
const forgetting = 0.9

/** Connections of their own have to be better by this factor: they cost more, and measurements vary. */
const clearlyBetter = 1.25

const other = (route: Route): Route => (route === 'shared' ? 'own' : 'shared')

export class WriteRouting {
  readonly #now: () => number
  /** The better one, as far as is known. */
  #preferred: Route = 'shared'
  /** The one that is being measured. */
  #current: Route = 'shared'
  /** Writes per millisecond at best, of late: whatever else holds a window up says nothing about its route. */
  readonly #rates = new Map<Route, number>()
  #betweenTrials = fewestBetweenTrials
  #untilTrial = fewestBetweenTrials
  #underWay = 0
  #ended = 0
  /** Those that were under way whenever one began, added up. */
  #crowd = 0
  #since = 0

  /** `now` tells milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The route for a write that begins; {@link end} has to follow. */
  begin(): Route {
    this.#crowd += this.#underWay++
    return this.#current
  }

  /** A write was answered, or failed. */
  end(): void {
    this.#underWay--
    this.#ended++
    if (this.#ended === settling) this.#since = this.#now()
    if (this.#ended < windowWrites) return
    const isEnough = this.#crowd >= enoughAtOnce * windowWrites
    if (isEnough) this.#measured((windowWrites - settling) / Math.max(this.#now() - this.#since, 0.001))
    else this.#current = this.#preferred
    this.#ended = 0
    this.#crowd = 0
  }

  #measured(measured: number): void {
    const rate = (route: Route) => this.#rates.get(route) ?? 0
    this.#rates.set(this.#current, Math.max(measured, rate(this.#current) * forgetting))
    this.#preferred = rate('own') > rate('shared') * clearlyBetter ? 'own' : 'shared'
    const isTrial = --this.#untilTrial === 0
    if (isTrial) {
      this.#betweenTrials = Math.min(this.#betweenTrials * 2, mostBetweenTrials)
      this.#untilTrial = this.#betweenTrials
    }
    this.#current = isTrial ? other(this.#preferred) : this.#preferred
  }
}
