// A request as data.

import type { Expression, Leaf } from './expressions.ts'

export interface Directives {
  readonly include?: Leaf<boolean>
  readonly skip?: Leaf<boolean>
}

export type OrderEntry =
  | { readonly kind: 'column'; readonly column: string; readonly direction: Leaf<string> }
  | { readonly kind: 'related'; readonly relationship: string; readonly of: readonly OrderEntry[] }
  | {
      readonly kind: 'aggregate'
      readonly relationship: string
      readonly operator: string
      /** Null for `count`. */
      readonly column: string | null
      readonly direction: Leaf<string>
    }

export interface Arguments {
  readonly where?: { readonly expression: Expression; readonly lift: boolean }
  /** A list of objects; each orders by its entries in turn. */
  readonly orderBy?: { readonly objects: readonly (readonly OrderEntry[])[]; readonly lift: boolean }
  readonly distinctOn?: readonly Leaf<string>[]
  readonly limit?: Leaf<number>
  readonly offset?: Leaf<number>
}

interface Selected {
  readonly alias: string | null
  readonly directives: Directives
}

export type Item = Selected &
  (
    | { readonly kind: 'typename' }
    | { readonly kind: 'column'; readonly column: string; readonly path: Leaf<readonly string[]> | null }
    | { readonly kind: 'object'; readonly relationship: string; readonly items: readonly Item[] }
    | {
        readonly kind: 'array'
        readonly relationship: string
        readonly args: Arguments
        readonly items: readonly Item[]
      }
    | {
        readonly kind: 'aggregate'
        readonly relationship: string
        readonly args: Arguments
        readonly items: readonly AggregateItem[]
      }
    | {
        readonly kind: 'fragment'
        readonly named: boolean
        readonly on: string | null
        readonly items: readonly Item[]
      }
  )

export type AggregateItem = Selected &
  (
    | { readonly kind: 'typename' }
    | { readonly kind: 'nodes'; readonly items: readonly Item[] }
    | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  )

/** A member of `aggregate`. */
export type Call = Selected &
  (
    | { readonly kind: 'typename' }
    | {
        readonly kind: 'count'
        readonly columns: readonly Leaf<string>[] | null
        readonly distinct: Leaf<boolean> | null
      }
    | { readonly kind: 'operator'; readonly operator: string; readonly columns: readonly CallColumn[] }
  )

/** A column under an operator; null is `__typename`. */
export interface CallColumn {
  readonly column: string | null
  readonly alias: string | null
}

/** A member of a root type or a response. */
export interface Wrapped {
  /** Whether it is in its own fragment. */
  readonly wrapped?: boolean
}

/** The values of a row's primary key. */
export type Key = readonly { readonly column: string; readonly leaf: Leaf }[]

export interface Representation {
  readonly table: string
  readonly key: Key
}

export type Root = Selected &
  Wrapped &
  (
    | { readonly kind: 'typename' }
    | {
        readonly kind: 'select'
        readonly table: string
        /** The function whose rows are selected; absent: the table itself. */
        readonly of?: string
        readonly args: Arguments
        readonly items: readonly Item[]
      }
    /** The row of a function that returns one. */
    | { readonly kind: 'one'; readonly table: string; readonly of: string; readonly items: readonly Item[] }
    | {
        readonly kind: 'byKey'
        readonly table: string
        readonly key: Key
        readonly items: readonly Item[]
      }
    /** Rows by the representations of a gateway; `items` are fragments on the types of tables. */
    | {
        readonly kind: 'entities'
        readonly representations: readonly Representation[]
        readonly lift: boolean
        readonly items: readonly Item[]
      }
    | {
        readonly kind: 'aggregate'
        readonly table: string
        readonly of?: string
        readonly args: Arguments
        readonly items: readonly AggregateItem[]
      }
  )

export interface Request {
  /** Null for admin. */
  readonly role: string | null
  /** All roots of a mutation are functions. */
  readonly root: 'query' | 'mutation'
  /** Whether a REST endpoint serves it, too. */
  readonly stored: boolean
  readonly roots: readonly Root[]
}

/** The values of a run: those of the document, or the second ones of lifted values. */
export type Run = 0 | 1

export const inputOf = (leaf: Leaf<unknown>, run: Run) => (run === 1 && leaf.lift ? leaf.lift.second.input : leaf.input)

export const datumOf = <D>(leaf: Leaf<D>, run: Run): D => (run === 1 && leaf.lift ? leaf.lift.second.datum : leaf.datum)
