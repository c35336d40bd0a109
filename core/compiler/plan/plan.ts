// The plan of a request: plain data, every name resolved and every permission merged in. Printing it as SQL decides
// nothing and cannot fail. Columns in a condition or output belong to the row at hand, whatever its alias will be.

import type { OperatorName, PgType } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import type { Sql, SqlType } from '../../database/sql/sql.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { Printer } from '../printer.ts'
import { equalityOf, isRowType } from '../types/comparing.ts'

/** Pairs of (column of the outer row, column of the inner row) that must be equal. */
export type Mapping = readonly (readonly [outer: string, inner: string, equality?: PairEquality])[]

/** How the values of a pair are compared, where it is not by an operator of PostgreSQL's own. */
export interface PairEquality {
  /** The type that both are compared as, where PostgreSQL has no operator for their own. */
  readonly as?: string
  /** The operator; absent: that of PostgreSQL's own. */
  readonly operator?: OperatorName
  /** Whether the values are rows. */
  readonly isRow?: boolean
  /** Whether PostgreSQL does not sort by it, and so has it in no comparison of several columns at once. */
  readonly isUnsorted?: boolean
}

/** A pair of columns and their types, the outer one's first; null: PostgreSQL cannot compare them. */
export function columnPair(
  [outer, inner]: readonly [outer: string, inner: string],
  [left, right]: readonly [outer: PgType, inner: PgType],
): Mapping[number] | null {
  // As it is printed, the inner column is on the left.
  const operator = equalityOf(right, left)
  if (operator === null) return null
  // A domain over an enum has no operators, and its enum has.
  const as = [left, right].find(({ isEnumDomain }) => isEnumDomain)?.sql
  const isUsual = operator[0] === 'pg_catalog'
  const isRow = isRowType(left) || isRowType(right)
  const isUnsorted = [left, right].some(({ comparison }) => comparison?.isSorted === false)
  if (as === undefined && isUsual && !isRow && !isUnsorted) return [outer, inner]
  const flags = { ...(isRow && { isRow }), ...(isUnsorted && { isUnsorted }) }
  return [outer, inner, { ...(as !== undefined && { as }), ...(!isUsual && { operator }), ...flags }]
}

/**
 * A ready fragment of a plugin; it is given the alias of the row at hand. `alias.*` is the row as a value of its type. With
 * the printer it can print parts of plans that it holds.
 */
export type SqlBuilder = (row: Sql, printer: Printer) => Sql

export type Operand =
  | { readonly kind: 'param'; readonly source: ParamSource; readonly type: SqlType }
  /** Another column of the same row. */
  | { readonly kind: 'column'; readonly column: string }

/** What a column is compared with: besides, a column of the row that the nearest `rooted` condition around is on. */
export type Comparand = Operand | { readonly kind: 'rootColumn'; readonly column: string }

export type Condition =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'null'; readonly column: string; readonly negated: boolean }
  /** `operator` names one of core's operators. */
  | { readonly kind: 'compare'; readonly column: string; readonly operator: string; readonly operand: Comparand }
  /** A related row exists for which `where` holds; `filter` of the target's permission is merged into `where`. */
  | { readonly kind: 'related'; readonly table: QualifiedName; readonly mapping: Mapping; readonly where: Condition }
  | { readonly kind: 'exists'; readonly table: QualifiedName; readonly where: Condition }
  /** Conditions on rows of other tables in it may refer to the row at hand here. */
  | { readonly kind: 'rooted'; readonly of: Condition }
  | { readonly kind: 'sql'; readonly build: SqlBuilder }

export const always: Condition = { kind: 'true' }

/** Whether a column of the row at hand is null. */
export const isNull = (column: string): Condition => ({ kind: 'null', column, negated: false })

/** The conjunction, with what is trivially true left out. */
export function allOf(conditions: readonly Condition[]): Condition {
  const rest = conditions.filter(({ kind }) => kind !== 'true')
  if (rest.length === 0) return always
  return rest.length === 1 ? rest[0]! : { kind: 'and', of: rest }
}

/** What one row (or set of rows) becomes in the answer: an expression that yields JSON text and is never NULL. */
export type Output =
  | { readonly kind: 'object'; readonly entries: readonly OutputEntry[] }
  | {
      readonly kind: 'column'
      readonly column: string
      readonly type: PgType
      readonly path?: readonly string[] | null
    }
  | { readonly kind: 'json'; readonly text: string }
  /** A to-one relationship: the related row's object, or null. */
  | { readonly kind: 'one'; readonly select: Select; readonly unique: boolean }
  | { readonly kind: 'many'; readonly select: Select }
  | { readonly kind: 'aggregate'; readonly select: AggregateSelect }
  /** A value that JavaScript makes afterwards from these columns. */
  | {
      readonly kind: 'deferred'
      readonly needs: readonly { readonly column: string; readonly type: PgType }[]
    }
  /** `columnsOnly`: the fragment reads nothing but columns of the row, and so can stand wherever they can. */
  | { readonly kind: 'sql'; readonly build: SqlBuilder; readonly columnsOnly?: boolean }

export interface OutputEntry {
  readonly key: string
  readonly value: Output
}

/** Whether an output holds fragments of plugins, which may use the whole row. */
export function mayUseWholeRow(output: Output): boolean {
  switch (output.kind) {
    case 'object':
      return output.entries.some(({ value }) => mayUseWholeRow(value))
    case 'one':
    case 'many':
    case 'aggregate':
      return output.select.rows.from.kind === 'sql'
    case 'sql':
      return output.columnsOnly !== true
    default:
      return false
  }
}

/** Where rows come from. */
export type From =
  | { readonly kind: 'table'; readonly table: QualifiedName }
  /** A set-returning function or any other table expression; may use the outer row's alias. */
  | { readonly kind: 'sql'; readonly build: SqlBuilder }

export type OrderTarget =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'sql'; readonly build: SqlBuilder }
  /** A value of the related row; a row that `where` hides counts as NULL. */
  | {
      readonly kind: 'related'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      readonly unique: boolean
      readonly of: OrderTarget
    }
  /** An aggregate over all related rows; `column` is absent for `count`. */
  | {
      readonly kind: 'aggregate'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      readonly operator: string
      readonly column: string | null
      /** As in {@link AggregateCall}. */
      readonly takenAs?: TakenAs
      /** As in {@link AggregateCall}. */
      readonly schema?: string
    }

export interface OrderItem {
  readonly target: OrderTarget
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

/** The rows that an array, object or aggregate is made of. */
export interface Rows {
  readonly from: From
  /** Ties the rows to the outer row; empty at the root. */
  readonly mapping: Mapping
  readonly where: Condition
  readonly distinctOn: readonly string[]
  readonly orderBy: readonly OrderItem[]
  /** Whether `orderBy` starts with a key of the table, and so follows an index. */
  readonly orderedByKey: boolean
  /** Part of the statement's text: the planner of PostgreSQL chooses far better when it sees the number. */
  readonly limit: number | null
  readonly offset: Operand | null
  /** The role's own limit, if it has one. */
  readonly permissionLimit: number | null
}

/** A row set without order or bounds, to be completed by where it comes from. */
export const allRows = {
  mapping: [],
  distinctOn: [],
  orderBy: [],
  orderedByKey: false,
  limit: null,
  offset: null,
  permissionLimit: null,
} as const satisfies Partial<Rows>

export interface Select {
  readonly rows: Rows
  readonly output: Output
}

export interface AggregateCall {
  readonly operator: string
  /** Arguments; empty for `count(*)`. */
  readonly columns: readonly string[]
  readonly distinct: boolean
  readonly takenAs?: TakenAs
  /** Of the aggregate; absent: it is PostgreSQL's own. */
  readonly schema?: string
}

/**
 * What the argument of an aggregate is turned into where its type lacks the aggregate: text, when texts are in the order
 * of the values, or a number. Null: it is taken as it is.
 */
export type TakenAs = 'text' | 'numeric' | null

export type AggregateOutput =
  | { readonly kind: 'object'; readonly entries: readonly { readonly key: string; readonly value: AggregateOutput }[] }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'call'; readonly call: AggregateCall }
  /** The rows themselves, under the role's limit. */
  | { readonly kind: 'nodes'; readonly output: Output }

export interface AggregateSelect {
  readonly rows: Rows
  readonly output: AggregateOutput
}

/** A root field answered by the database alone. */
export type RootOutput =
  | { readonly kind: 'many'; readonly select: Select }
  | { readonly kind: 'one'; readonly select: Select; readonly unique: boolean }
  | { readonly kind: 'aggregate'; readonly select: AggregateSelect }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'sql'; readonly build: SqlBuilder }
