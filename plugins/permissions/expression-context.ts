// What boolean expressions are resolved in.

import type { RequestCost, SelectAccess } from '../../sdk/access.ts'
import type { ResolveContext, TableModel } from '../../sdk/metadata.ts'

/** The part of resolving that expressions look at. */
export interface ExpressionContext extends Pick<ResolveContext, 'table' | 'depend' | 'dialect'> {
  /** Whose request the expression is part of, who may use only what they may read; absent for permissions. */
  readonly reader?: ExpressionReader
  /** The table of the rows that the whole expression is on; absent where its columns cannot be referred to. */
  readonly root?: {
    readonly table: TableModel
    /** Whether a comparison with one of its columns was found. */
    isUsed: boolean
  }
}

/** What the sender of an expression may read. */
export interface ExpressionReader {
  /** What the request asks of the database. */
  readonly cost: RequestCost
  /** Throws when it is not the column. */
  checkColumn(table: TableModel, column: string): void
  /** Throws what they are told of a name that they may not read, whatever it is the name of; those who may read all are told nothing here. */
  checkUnknown(table: TableModel, name: string): void
  /** The columns of a table that they may read. */
  columns(table: TableModel): Iterable<string>
  /** How the rows of a table are reached, by a relationship or else by its name; throws when they may read none. */
  reach(table: TableModel, relationship: string | null): ReachedRows
}

/** Conditions on rows of another table. */
export type ReachedRows = Pick<SelectAccess, 'related' | 'exists'>
