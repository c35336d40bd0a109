// A mutation as data.

import type { Expression, Leaf } from '../expressions.ts'
import type { Directives, Item, Wrapped } from '../request.ts'
import type { Datum } from '../types.ts'

export interface Where {
  readonly expression: Expression
  readonly lift: boolean
}

/** A value for a column; null is NULL. */
export interface GivenValue {
  readonly column: string
  readonly leaf: Leaf<Datum | null>
}

/** A row to insert, with its related rows. */
export interface InsertRow {
  readonly values: readonly GivenValue[]
  readonly nested: readonly NestedRows[]
  /** Whether it is a variable as a whole. */
  readonly lift: boolean
}

export interface NestedRows {
  readonly relationship: string
  /** Null: the input is null instead of rows. */
  readonly rows: readonly InsertRow[] | null
  /** An object instead of a list of one. */
  readonly bare: boolean
  readonly conflict: Conflict | null
}

export interface Conflict {
  /** The constraint's name. */
  readonly constraint: Leaf<string>
  /** Members of `T_update_column`, their data being ids; null: absent. */
  readonly columns: readonly Leaf<string>[] | null
  readonly where: Where | null
  readonly lift: boolean
}

export const updateOperators = [
  '_set',
  '_inc',
  '_prepend',
  '_append',
  '_delete_key',
  '_delete_elem',
  '_delete_at_path',
] as const

export type UpdateOperator = (typeof updateOperators)[number]

/** The change of one update operator; the data of `_delete_at_path` are lists of texts. */
export interface Change {
  readonly operator: UpdateOperator
  readonly values: readonly GivenValue[]
  readonly lift: boolean
}

interface Selected {
  readonly alias: string | null
  readonly directives: Directives
}

/** A member of `T_mutation_response`. */
export type ResponseItem = Selected &
  Wrapped &
  (
    | { readonly kind: 'typename' }
    | { readonly kind: 'affected' }
    | { readonly kind: 'returning'; readonly items: readonly Item[] }
  )

/** A `T_updates`. */
export interface ListedUpdate {
  readonly where: Where
  readonly changes: readonly Change[]
  readonly lift: boolean
}

type Key = readonly { readonly column: string; readonly leaf: Leaf }[]

export type MutationRoot = Selected &
  Wrapped &
  (
    | { readonly kind: 'typename' }
    | {
        readonly kind: 'insert'
        readonly table: string
        readonly rows: readonly InsertRow[]
        /** An object instead of a list of one. */
        readonly bare: boolean
        /** The rows of the second run, if all rows are one variable. */
        readonly lift: { readonly second: readonly InsertRow[] } | null
        readonly conflict: Conflict | null
        readonly response: readonly ResponseItem[]
      }
    | {
        readonly kind: 'insertOne'
        readonly table: string
        readonly row: InsertRow
        readonly conflict: Conflict | null
        readonly items: readonly Item[]
      }
    | {
        readonly kind: 'update'
        readonly table: string
        readonly where: Where
        readonly changes: readonly Change[]
        readonly response: readonly ResponseItem[]
      }
    | {
        readonly kind: 'updateByKey'
        readonly table: string
        readonly key: Key
        readonly changes: readonly Change[]
        readonly items: readonly Item[]
      }
    | {
        readonly kind: 'updateMany'
        readonly table: string
        readonly updates: readonly ListedUpdate[]
        readonly response: readonly ResponseItem[]
      }
    | {
        readonly kind: 'delete'
        readonly table: string
        readonly where: Where
        readonly response: readonly ResponseItem[]
      }
    | { readonly kind: 'deleteByKey'; readonly table: string; readonly key: Key; readonly items: readonly Item[] }
  )

export type RootOf<K extends MutationRoot['kind']> = Extract<MutationRoot, { readonly kind: K }>

export interface Mutation {
  /** Null for admin. */
  readonly role: string | null
  readonly roots: readonly MutationRoot[]
}
