// Failures of statements.

import type { Violation } from '../constraints.ts'

/** The API reports one of these errors; which one is undetermined. */
export class Refused extends Error {
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ message }) => message).join('; '))
    this.refusals = refusals
  }
}

export interface Refusal extends Violation {
  /** Absent: the path of the statement's values. */
  readonly path?: string
}

/** An error of the database that has no code of its own. */
export const databaseError: Violation = { code: 'unexpected', message: 'database query error' }

export const dataException = (message: string): Violation => ({ code: 'data-exception', message })

/** Adds a path to errors without one. */
export function located<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Refused(error.refusals.map((refusal) => ({ path, ...refusal })))
  }
}
