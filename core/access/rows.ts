// Rows of a table that a role may read, ready for plans. Only here are the filter and the limit of its permission
// merged with the narrowings of plugins.

import {
  allOf,
  allRows,
  always,
  type Condition,
  type From,
  type Mapping,
  type OrderTarget,
  onlyGiven,
  type PairBuilder,
  type Rows,
  type SqlBuilder,
} from '../compiler/plan/plan.ts'
import { join, sql } from '../database/sql/sql.ts'
import type {
  RelationshipModel,
  RootFieldVisibility,
  RowPair,
  SelectPermission,
  TableModel,
} from '../metadata/document/model.ts'
import type { QualifiedName } from '../names/names.ts'
import type { Narrower } from './narrowing.ts'
import { conditionBuilder, type TransformedColumn } from './transformed-columns.ts'

/** A selection of the rows that a role may read. */
export interface WantedRows extends Partial<Omit<Rows, 'permissionLimit'>> {
  /** Another source of the table's rows, such as a function. */
  readonly from?: From
}

/** A selection of one of the rows that a role may read. */
export type WantedRow = Pick<WantedRows, 'from' | 'mapping' | 'where'>

export type Related = Extract<OrderTarget, { kind: 'related' }>
export type Aggregate = Extract<OrderTarget, { kind: 'aggregate' }>
export type ComparedAggregate = Extract<Condition, { kind: 'aggregate' }>

/** The right to read a table. Conditions are on the current row. */
export interface SelectAccess {
  /** Database names, without {@link transformed} columns. */
  readonly columns: ReadonlySet<string>
  /** Columns that the role reads in another form than the stored one; they may stand in outputs only. */
  readonly transformed: ReadonlyMap<string, TransformedColumn>
  readonly computedFields: ReadonlySet<string>
  /** Computed fields that the role sees in some rows only; their values must come from {@link onlyWhere}. */
  readonly maskedFields: ReadonlyMap<string, Condition>
  readonly allowAggregations: boolean
  /** The root fields that give access to rows of the table; absent: all. */
  readonly rootFields?: RootFieldVisibility | undefined
  /** A list of rows, with the role's limit. */
  rows(wanted?: WantedRows): Rows
  /** At most one row; the role's limit applies only to lists. */
  row(wanted: WantedRow): Rows
  /** Holds if a row that the mapping relates, or that another source gives, exists and fulfils a condition. */
  related(mapping: Mapping, where: Condition, from?: SqlBuilder): Condition
  /** Holds if any row fulfils a condition. */
  exists(where: Condition): Condition
  /** Holds if an aggregate of all related rows that fulfil `where` fulfils `holds`. */
  aggregate(compared: Pick<ComparedAggregate, 'mapping' | 'where' | 'call' | 'holds'>): Condition
  /** The relationship as the role may follow it from its rows; null: not at all. Code must use its mapping. */
  followed(relationship: RelationshipModel): RelationshipModel | null
  /** Whether computed fields may lead from its rows to those of another table. */
  reaches(table: QualifiedName): boolean
  /** A value of the related row. */
  orderByRelated(related: Pick<Related, 'mapping' | 'unique' | 'of'>): OrderTarget
  /** An aggregate of all related rows. */
  orderByAggregate(aggregate: Omit<Aggregate, 'kind' | 'table' | 'where'>): OrderTarget
}

const none: ReadonlyMap<string, Condition> = new Map()

/** Holds for two rows if one of the pairs has both. */
function tiedRows(pairs: readonly RowPair[], narrower: Narrower): PairBuilder {
  const built = pairs.map(({ outer, inner }) => ({
    outer: conditionBuilder(narrower.permitted(outer)),
    inner: conditionBuilder(narrower.permitted(inner)),
  }))
  return (rows, printer) => {
    const all = built.map((pair) => sql`(${pair.outer(rows.outer, printer)} and ${pair.inner(rows.inner, printer)})`)
    return sql`(${join(all, ' or ')})`
  }
}

/** Reads, limited by a permission. */
export class PermittedRows implements SelectAccess {
  readonly columns: ReadonlySet<string>
  readonly transformed: ReadonlyMap<string, TransformedColumn>
  readonly computedFields: ReadonlySet<string>
  readonly maskedFields: ReadonlyMap<string, Condition>
  readonly allowAggregations: boolean
  readonly rootFields: RootFieldVisibility | undefined
  readonly #table: TableModel
  readonly #permission: SelectPermission
  readonly #narrower: Narrower
  #known: Condition | null = null

  constructor(table: TableModel, permission: SelectPermission, narrower: Narrower) {
    const { columns, transformed } = narrower.columns(permission, table)
    this.columns = columns
    this.transformed = transformed
    this.computedFields = permission.computedFields
    this.maskedFields = permission.masks ? narrower.masks(permission.masks.computedFields) : none
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
      ...(from.kind === 'table' && this.#table.catalog.distribution && { isDistributed: true }),
      from,
      where: allOf([this.#filter, where]),
      orderedByKey: from.kind === 'table' && wanted.orderedByKey === true,
      permissionLimit: this.#permission.limit,
    }
  }

  row({ from = this.#ofTable(), mapping = [], where = always }: WantedRow): Rows {
    return { ...allRows, from, mapping, where: allOf([where, this.#filter]) }
  }

  related(mapping: Mapping, where: Condition, from?: SqlBuilder): Condition {
    const source = from && { from }
    return { kind: 'related', table: this.#table.name, mapping, where: allOf([this.#filter, where]), ...source }
  }

  exists(where: Condition): Condition {
    return { kind: 'exists', table: this.#table.name, where: allOf([this.#filter, where]) }
  }

  aggregate(compared: Pick<ComparedAggregate, 'mapping' | 'where' | 'call' | 'holds'>): Condition {
    const where = allOf([this.#filter, compared.where])
    return { ...compared, kind: 'aggregate', table: this.#table.name, where }
  }

  followed(relationship: RelationshipModel): RelationshipModel | null {
    const pairs = this.#permission.masks?.relationships.get(relationship.name)
    if (!pairs) return relationship
    if (pairs.length === 0) return null
    const mapping = onlyGiven(relationship.mapping, tiedRows(pairs, this.#narrower))
    return { ...relationship, mapping, required: false }
  }

  reaches(table: QualifiedName): boolean {
    return this.#permission.masks?.reaches(table) ?? true
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
