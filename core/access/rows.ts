// Rows of a table that a role may reach, ready for plans: the filter of its permission, its limit, and what plugins
// narrow are merged in here and nowhere else.

import {
  allOf,
  allRows,
  always,
  type Condition,
  type From,
  type Mapping,
  type OrderTarget,
  type Rows,
} from '../compiler/plan/plan.ts'
import type { RootFieldVisibility, SelectPermission, TableModel } from '../metadata/document/model.ts'
import type { Narrower } from './narrowing.ts'

/** What rows are wanted of those that a role may read. */
export interface WantedRows extends Partial<Omit<Rows, 'permissionLimit'>> {
  /** Another source of rows of the table than the table itself, such as a function. */
  readonly from?: From
}

/** What one row is wanted of those that a role may read. */
export type WantedRow = Pick<WantedRows, 'from' | 'mapping' | 'where'>

export type Related = Extract<OrderTarget, { kind: 'related' }>
export type Aggregate = Extract<OrderTarget, { kind: 'aggregate' }>

/** Reading a table as a role may. Conditions are on the row at hand. */
export interface SelectAccess {
  /** Database names. */
  readonly columns: ReadonlySet<string>
  readonly computedFields: ReadonlySet<string>
  readonly allowAggregations: boolean
  /** The root fields that lead to rows of the table; absent: all. */
  readonly rootFields?: RootFieldVisibility | undefined
  /** A list of rows, under the role's limit. */
  rows(wanted?: WantedRows): Rows
  /** At most one row: the role's limit is about lists. */
  row(wanted: WantedRow): Rows
  /** That a row which the mapping leads to exists and fulfils a condition. */
  related(mapping: Mapping, where: Condition): Condition
  /** That any row fulfils a condition. */
  exists(where: Condition): Condition
  /** A value of the row that the mapping leads to. */
  orderByRelated(related: Pick<Related, 'mapping' | 'unique' | 'of'>): OrderTarget
  /** An aggregate of all rows that the mapping leads to. */
  orderByAggregate(aggregate: Omit<Aggregate, 'kind' | 'table' | 'where'>): OrderTarget
}

/** Reading as a permission lets a role. */
export class PermittedRows implements SelectAccess {
  readonly columns: ReadonlySet<string>
  readonly computedFields: ReadonlySet<string>
  readonly allowAggregations: boolean
  readonly rootFields: RootFieldVisibility | undefined
  readonly #table: TableModel
  readonly #permission: SelectPermission
  readonly #narrower: Narrower
  #known: Condition | null = null

  constructor(table: TableModel, permission: SelectPermission, narrower: Narrower) {
    this.columns = permission.columns
    this.computedFields = permission.computedFields
    this.allowAggregations = permission.allowAggregations
    this.rootFields = permission.rootFields
    this.#table = table
    this.#permission = permission
    this.#narrower = narrower
  }

  get #filter(): Condition {
    this.#known ??= allOf([this.#narrower.rows(this.#table.name), this.#narrower.permitted(this.#permission.filter)])
    return this.#known
  }

  rows(wanted: WantedRows = {}): Rows {
    const { where = always, from = this.#ofTable() } = wanted
    return {
      ...allRows,
      ...wanted,
      from,
      where: allOf([this.#filter, where]),
      orderedByKey: from.kind === 'table' && wanted.orderedByKey === true,
      permissionLimit: this.#permission.limit,
    }
  }

  row({ from = this.#ofTable(), mapping = [], where = always }: WantedRow): Rows {
    return { ...allRows, from, mapping, where: allOf([where, this.#filter]) }
  }

  related(mapping: Mapping, where: Condition): Condition {
    return { kind: 'related', table: this.#table.name, mapping, where: allOf([this.#filter, where]) }
  }

  exists(where: Condition): Condition {
    return { kind: 'exists', table: this.#table.name, where: allOf([this.#filter, where]) }
  }

  orderByRelated(related: Pick<Related, 'mapping' | 'unique' | 'of'>): OrderTarget {
    return { kind: 'related', table: this.#table.name, where: this.#filter, ...related }
  }

  orderByAggregate(aggregate: Omit<Aggregate, 'kind' | 'table' | 'where'>): OrderTarget {
    return { kind: 'aggregate', table: this.#table.name, where: this.#filter, ...aggregate }
  }

  #ofTable(): From {
    return { kind: 'table', table: this.#table.name }
  }
}
