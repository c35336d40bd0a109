// The clocks of a time zone. A shown time is in milliseconds as if it were UTC, to be computed with; a moment is in milliseconds since
// 1970.

/** No zone changes its clocks by more than a day, as Samoa once did, or twice within a day. */
export const longestStep = 26 * 3_600_000

export class WallClock {
  readonly #format: Intl.DateTimeFormat | null

  /** Throws a `RangeError` for an unknown zone. */
  constructor(timezone: string) {
    const options = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const
    const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: timezone, hourCycle: 'h23' })
    this.#format = format.resolvedOptions().timeZone === 'UTC' ? null : format
  }

  /** The shown time at a moment. */
  shown(moment: number): number {
    return moment + this.offset(moment)
  }

  /** The offset from UTC at a moment. */
  offset(moment: number): number {
    if (!this.#format) return 0
    const whole = Math.floor(moment / 1000) * 1000
    const parts = new Map(this.#format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name)!
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - whole
  }

  /** The offsets shortly before and after a shown time; they differ around a change. */
  offsetsAround(shown: number): readonly [before: number, after: number] {
    return [this.offset(shown - longestStep), this.offset(shown + longestStep)]
  }

  /** The moments with a shown time, in order: none if it is skipped, two if it is repeated. */
  moments(shown: number): readonly number[] {
    const [before, after] = this.offsetsAround(shown)
    const offsets = before === after ? [before] : [Math.max(before, after), Math.min(before, after)]
    return offsets.map((offset) => shown - offset).filter((moment) => this.shown(moment) === shown)
  }

  /** The moment of the change that skips a shown time. */
  setForward(shown: number): number {
    const [before, after] = this.offsetsAround(shown)
    // The shown time is past for one offset, and not for the other.
    let early = shown - after
    let late = shown - before
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2)
      if (this.shown(middle) < shown) early = middle
      else late = middle
    }
    return late
  }
}
