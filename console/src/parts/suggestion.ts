/** A text that a field suggests. */
export interface Suggestion {
  readonly value: string
  /** Stands beside it. */
  readonly note?: string
}
