// Reports that the database does not answer, once per outage and reason.

import { messageWithCause } from '../errors/thrown.ts'

/** The failures of a worker's database since its last success. */
export class Outage {
  readonly #report: (message: string) => void
  #reported: string | null = null
  /** Failures since the last success. */
  #failures = 0

  /** `report`: called with each message that is to be logged. */
  constructor(report: (message: string) => void) {
    this.#report = report
  }

  /** Reports an error when it happens twice in a row: one lost connection is not worth a log line. Repeats are not reported. */
  failed(error: unknown): void {
    const message = messageWithCause(error)
    this.#failures++
    if (this.#failures < 2 || message === this.#reported) return
    this.#reported = message
    this.#report(message)
  }

  /** The database has answered. */
  over(): void {
    this.#reported = null
    this.#failures = 0
  }
}
