// What one request may ask of the database: a cost that is counted while it is read, and a limit.

import { badRequest } from '../errors/errors.ts'
import { type Path, pathKeys } from '../errors/path.ts'
import type { Dialect } from '../names/dialect.ts'

/**
 * The cost of a related row in a condition or an order, of which PostgreSQL's planner needs some 60 kB, where a comparison
 * costs 3 and needs some 2 kB.
 */
export const relatedCost = 125

/** The cost of a root field that selects something. */
export const rootCost = 45

/** The cost of selecting related rows beside so many others of the same row: the memory for them grows with the square. */
export const selectionCost = (siblings: number): number => relatedCost + 1.25 * siblings

/** Where limits of requests are set. */
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

  /** Adds to the cost; throws where it becomes more than is allowed. */
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
