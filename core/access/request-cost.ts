// Counts the cost of a request for the database while it is read, and enforces a limit.

import { badRequest } from '../errors/errors.ts'
import { type Path, pathKeys } from '../errors/path.ts'
import type { Dialect } from '../names/dialect.ts'
import { freeRepeats, relatedCost, repeatFactor } from './tuning.ts'

/** The cost of selecting related rows next to `siblings` others of the same row; their memory grows with the square. */
export const selectionCost = (siblings: number): number => relatedCost + 1.25 * siblings

/** The additional cost of a list that is repeated with the rows that have it, which are in `repeats - 1` such lists. */
export const repeatedCost = (repeats: number): number =>
  repeats <= freeRepeats ? 0 : relatedCost * repeatFactor ** (repeats - 1)

/** The setting and the names of the limit. */
export interface CostLimit {
  readonly settings: { readonly maxRequestCost: number }
  readonly dialect: Pick<Dialect, 'environmentPrefix'>
}

/** The cost of one request so far. */
export class RequestCost {
  readonly #limit: CostLimit
  #left: number

  constructor(limit: CostLimit) {
    this.#limit = limit
    this.#left = limit.settings.maxRequestCost
  }

  /** Adds to the cost; throws if it exceeds the limit. */
  add(cost: number, path: Path | null = null): void {
    this.#left -= cost
    if (this.#left < 0) throw this.#refusal(path)
  }

  #refusal(path: Path | null) {
    const { settings, dialect } = this.#limit
    const names = `--max-request-cost (${dialect.environmentPrefix}MAX_REQUEST_COST)`
    const message = `the request costs more than ${settings.maxRequestCost}, which ${names} allows`
    return badRequest('cost-limit-exceeded', message, { path: pathKeys(path) })
  }
}
