// Old results of asynchronous calls are deleted, by a clock of the plugin's own unless somebody else has one.

import { type ServiceKey, serviceKey } from '../../sdk/index.ts'

/** Deleting what was answered long ago. */
export interface ActionLogCleaning {
  /** Hours for which results are kept; null: for ever. */
  readonly hours: number | null
  /** Deletes what is older; how many rows that were. */
  clean(): Promise<number>
  /** Says that somebody else calls `clean` from time to time, so that this plugin need not. */
  takeOver(): void
}

export const actionLogCleaning: ServiceKey<ActionLogCleaning> = serviceKey('action-log-cleaning')

/** Milliseconds. */
const interval = 600_000

export class CleaningClock implements ActionLogCleaning {
  readonly hours: number | null
  readonly #clean: (hours: number) => Promise<number>
  #timer: NodeJS.Timeout | null = null
  #isTakenOver = false

  constructor(hours: number | null, clean: (hours: number) => Promise<number>) {
    this.hours = hours
    this.#clean = clean
  }

  async clean(): Promise<number> {
    return this.hours === null ? 0 : this.#clean(this.hours)
  }

  takeOver(): void {
    this.#isTakenOver = true
    this.stop()
  }

  /** Cleans now and from time to time; `onError` is told of what goes wrong. */
  start(onError: (error: unknown) => void): void {
    if (this.hours === null || this.#isTakenOver) return
    const attempt = () => void this.clean().catch(onError)
    attempt()
    this.#timer = setInterval(attempt, interval)
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
