// Boolean expressions of requests and permissions.

import type { Json } from './json.ts'
import type { Datum } from './types.ts'

/** A value of a request that may be replaced by a variable. */
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
  /** Declared with `!` even where it is not required. */
  readonly strict: boolean
  /** Given as the declared default. */
  readonly byDefault: boolean
  /** The value of the request's second run. */
  readonly second: { readonly input: Json; readonly datum: D }
}

export type Operand =
  | { readonly kind: 'value'; readonly leaf: Leaf }
  | { readonly kind: 'list'; readonly leaves: readonly Leaf[]; readonly lift: boolean }
  /** Another column of the row; in permissions. */
  | { readonly kind: 'column'; readonly column: string }
  /** The value of a session variable; in permissions. */
  | { readonly kind: 'session'; readonly variable: string; readonly data: readonly Datum[] }
  /** In permissions, and where requests may query a null key. */
  | { readonly kind: 'null' }

export interface Comparison {
  readonly operator: string
  readonly operand: Operand
  /** Another notation, in permissions: `$eq`, `_ne`, or the bare value. Absent: the plain one. */
  readonly spelling?: 'dollar' | 'alias' | 'bare'
}

export type Entry =
  /** `bare`: an object instead of a list of one. */
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[]; readonly bare: boolean }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'column'; readonly column: string; readonly comparisons: readonly Comparison[] }
  | { readonly kind: 'related'; readonly relationship: string; readonly where: Expression }
  /** In requests: the number of the related rows that the role may see and that fulfil the filter. */
  | {
      readonly kind: 'counted'
      readonly relationship: string
      readonly filter: Expression | null
      readonly operator: '_eq' | '_gt' | '_lte'
      readonly count: number
    }
  /** In permissions. */
  | { readonly kind: 'exists'; readonly table: string; readonly where: Expression }

/** All entries must hold. */
export type Expression = readonly Entry[]
