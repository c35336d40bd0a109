// A row of the bench of neighbours, and the numbers that it measures.

import type { Trellis } from '../support/trellis.ts'

/** One number that a row measures, and its target. */
export interface Figure {
  readonly what: string
  readonly unit: 'ms' | '/s' | 'x' | ''
  /** The way in which the numbers of the rounds are combined. */
  readonly over: 'median' | 'worst'
  /** `shared / off`: the number with sharing divided by the number without. */
  readonly compared: 'shared / off' | 'shared'
  /** Null: no target. */
  readonly target: { readonly least: number } | { readonly most: number } | null
}

/** The server and the database of a row. */
interface Ground {
  readonly trellis: Trellis
  readonly databaseUrl: string
}

/** A row: requests that could delay each other. */
export interface Neighbour {
  readonly name: string
  readonly title: string
  readonly figures: readonly Figure[]
  /** One round: a number for each figure. */
  measure(ground: Ground): Promise<readonly number[]>
}
