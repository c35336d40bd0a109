// What a ledger says of what waits in it.

/** How much of what waits, by trigger where there is one. */
export interface Backlog extends Record<string, unknown> {
  readonly name: string | null
  readonly count: number
  /** Seconds since the first of it was due. */
  readonly age: number
}
