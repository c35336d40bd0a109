// How statements fail.

import type { Violation } from '../constraints.ts'

/** An error of which the API answers with one: which one is left open. */
export class Refused extends Error {
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ message }) => message).join('; '))
    this.refusals = refusals
  }
}

export interface Refusal extends Violation {
  /** Absent: where the statement's values are. */
  readonly path?: string
}

/** An error of the database that has no code of its own. */
export const databaseError: Violation = { code: 'unexpected', message: 'database query error' }

export const dataException = (message: string): Violation => ({ code: 'data-exception', message })

/** Has errors that do not say where they belong point at a path. */
export function located<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Refused(error.refusals.map((refusal) => ({ path, ...refusal })))
  }
}
