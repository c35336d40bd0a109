// The oracle's description of a column type.

import type { Draw } from '../draw.ts'
import type { Expected } from '../expected.ts'
import type { Json } from '../json.ts'
import type { Decimal } from '../numbers.ts'

/** A value other than NULL; its type determines its kind. */
export type Datum = bigint | number | boolean | string | Decimal | Json | readonly (bigint | string | null)[]

export interface ColumnType<D extends Datum = Datum> {
  /** In CREATE TABLE. */
  readonly sql: string
  /** A statement that the database needs before the type can be used. */
  readonly setup?: string
  /** The name of the GraphQL scalar, or enum. */
  readonly scalar: string
  /** How values are added, if `_inc`, `sum` and similar operators apply. */
  readonly arithmetic?: 'exact' | 'double' | 'money'
  /** Whether it has `min` and `max`. */
  readonly comparable?: boolean
  /** How `_like` and similar operators match it, if they apply. */
  readonly patterns?: 'sensitive' | 'insensitive'
  /** Further kinds: an array, or an enum, whose values are bare words. */
  readonly kind?: 'array' | 'enum'
  /** Absent: PostgreSQL can neither compare nor order its values. */
  readonly compare: ((a: D, b: D) => number) | null
  draw(draw: Draw): D
  /** PostgreSQL's input text. */
  text(datum: D): string
  expected(datum: D): Expected
  /** One of its notations in a request. */
  input(datum: D, draw: Draw): Json
  /** The sum of two values, or the text of PostgreSQL's error. */
  add?(a: D, b: D): { readonly datum: D } | string
}

/** The order of texts in a fixed format, and of other values that `<` compares correctly. */
export const compareValues = <T extends string | number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
