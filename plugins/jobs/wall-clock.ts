// What the clocks of a time zone show. A time that they show is in milliseconds as if they stood in UTC, so that it can be
// reckoned with; a moment is in milliseconds since 1970.

/** No zone sets its clocks by more than a day, as Samoa once did, or twice within this time. */
export const longestStep = 26 * 3_600_000

export class WallClock {
  readonly #format: Intl.DateTimeFormat | null

  /** Throws a `RangeError` where there is no such zone. */
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

  /** What they show at a moment. */
  shown(moment: number): number {
    return moment + this.offset(moment)
  }

  /** How far ahead of UTC they are at a moment. */
  offset(moment: number): number {
    if (!this.#format) return 0
    const whole = Math.floor(moment / 1000) * 1000
    const parts = new Map(this.#format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name)!
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - whole
  }

  /** The offsets shortly before and shortly after the clocks show something: two where they are set about then. */
  offsetsAround(shown: number): readonly [before: number, after: number] {
    return [this.offset(shown - longestStep), this.offset(shown + longestStep)]
  }

  /** The moments at which they show it, in order: none where they skip it, two where they are set back to before it. */
  moments(shown: number): readonly number[] {
    const [before, after] = this.offsetsAround(shown)
    const offsets = before === after ? [before] : [Math.max(before, after), Math.min(before, after)]
    return offsets.map((offset) => shown - offset).filter((moment) => this.shown(moment) === shown)
  }

  /** When the clocks are set that skip it. */
  setForward(shown: number): number {
    const [before, after] = this.offsetsAround(shown)
    // Before it at the one, at it or behind it at the other.
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
