// Boolean expressions, of requests and of permissions.

import type { Json } from './json.ts'
import type { Datum } from './types.ts'

/** A value of a request that may be lifted into a variable. */
export interface Leaf<D = Datum> {
  /** The GraphQL type, without `!`. */
  readonly type: string
  readonly input: Json
  readonly datum: D
  /** Whether literals are bare words. */
  readonly isEnum?: boolean
  /** Absent: a literal. */
  readonly lift?: Lift<D>
}

export interface Lift<D = Datum> {
  /** Declared with `!` even where that is not asked for. */
  readonly strict: boolean
  /** Given as the declared default. */
  readonly byDefault: boolean
  /** The value of the request's second run. */
  readonly second: { readonly input: Json; readonly datum: D }
}

export type Operand =
  | { readonly kind: 'value'; readonly leaf: Leaf }
  | { readonly kind: 'list'; readonly leaves: readonly Leaf[]; readonly lift: boolean }
  /** Another column of the row, in permissions. */
  | { readonly kind: 'column'; readonly column: string }
  /** What a session variable stands for, in permissions. */
  | { readonly kind: 'session'; readonly variable: string; readonly data: readonly Datum[] }
  /** In permissions, and where requests may ask for a key that is null. */
  | { readonly kind: 'null' }

export interface Comparison {
  readonly operator: string
  readonly operand: Operand
  /** In permissions, another way to write it: `$eq`, `_ne`, or the value alone. Absent: the plain one. */
  readonly spelling?: 'dollar' | 'alias' | 'bare'
}

export type Entry =
  /** `bare`: an object for a list of one. */
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[]; readonly bare: boolean }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'column'; readonly column: string; readonly comparisons: readonly Comparison[] }
  | { readonly kind: 'related'; readonly relationship: string; readonly where: Expression }
  /** In permissions. */
  | { readonly kind: 'exists'; readonly table: string; readonly where: Expression }

/** All entries must hold. */
export type Expression = readonly Entry[]
