// The context in which boolean expressions are resolved.

import type { RequestCost, SelectAccess } from '../../sdk/access.ts'
import type { ResolveContext, TableModel } from '../../sdk/metadata.ts'

/** The part of resolving that expressions use. */
export interface ExpressionContext extends Pick<ResolveContext, 'table' | 'depend' | 'dialect'> {
  /** The sender of a request, who may use only readable columns and tables; absent for permissions. */
  readonly reader?: ExpressionReader
  /** The table of the rows that the whole expression filters; absent if its columns cannot be referenced. */
  readonly root?: {
    readonly table: TableModel
    /** Whether the expression compares with one of its columns. */
    isUsed: boolean
  }
}

/** The read access of an expression's sender. */
export interface ExpressionReader {
  /** The cost of the request so far. */
  readonly cost: RequestCost
  /** Throws unless the sender may read the column. */
  checkColumn(table: TableModel, column: string): void
  /** Throws the error for a name that the sender may not read, of any kind; does nothing if the sender may read all. */
  checkUnknown(table: TableModel, name: string): void
  /** Throws unless the sender may read the member, which is neither a column nor a relationship. */
  checkMember(table: TableModel, name: string): void
  /** The columns of a table that the sender may read. */
  columns(table: TableModel): Iterable<string>
  /** How to reach the rows of a table, by a relationship or by its name; throws if the sender may read none. */
  reach(table: TableModel, relationship: string | null): ReachedRows
}

/** Conditions on rows of another table. */
export type ReachedRows = Pick<SelectAccess, 'related' | 'exists' | 'aggregate' | 'allowAggregations'>
