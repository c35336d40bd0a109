// The plan of a request: plain data, with every name resolved and every permission merged in. Printing it as SQL
// decides nothing and cannot fail. Columns in a condition or output belong to the current row, whatever its alias.

import type { OperatorName, PgType } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import type { Sql, SqlType } from '../../database/sql/sql.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { Printer } from '../printer.ts'
import { equalityOf, isRowType } from '../types/comparing.ts'

/** Pairs of columns, one of the outer and one of the inner row, that must be equal. */
export type Mapping = readonly (readonly [outer: string, inner: string, equality?: PairEquality])[]

/** How the values of a pair are compared, if not with an operator of `pg_catalog`. */
export interface PairEquality {
  /** The type that both values are cast to, if PostgreSQL has no operator for their own types. */
  readonly as?: string
  /** The operator; absent: that of `pg_catalog`. */
  readonly operator?: OperatorName
  /** Whether the values are rows. */
  readonly isRow?: boolean
  /** Whether PostgreSQL cannot sort by it. It then cannot take part in a comparison of several columns at once. */
  readonly isUnsorted?: boolean
  /** A condition on both rows, without which they are not tied. */
  readonly given?: PairBuilder
}

/** A condition on an outer and an inner row. */
export type PairBuilder = (rows: { readonly outer: Sql; readonly inner: Sql }, printer: Printer) => Sql

/** A pair of columns, given their types; null: PostgreSQL cannot compare them. */
export function columnPair(
  [outer, inner]: readonly [outer: string, inner: string],
  [left, right]: readonly [outer: PgType, inner: PgType],
): Mapping[number] | null {
  // In the printed SQL the inner column is on the left.
  const operator = equalityOf(right, left)
  if (operator === null) return null
  // A domain over an enum has no operators, but the enum has.
  const as = [left, right].find(({ isEnumDomain }) => isEnumDomain)?.sql
  const isUsual = operator[0] === 'pg_catalog'
  const isRow = isRowType(left) || isRowType(right)
  const isUnsorted = [left, right].some(({ comparison }) => comparison?.isSorted === false)
  if (as === undefined && isUsual && !isRow && !isUnsorted) return [outer, inner]
  const flags = { ...(isRow && { isRow }), ...(isUnsorted && { isUnsorted }) }
  return [outer, inner, { ...(as !== undefined && { as }), ...(!isUsual && { operator }), ...flags }]
}

/**
 * A plugin's SQL fragment, given the alias of the current row; `alias.*` is the row as a value of its type. The printer
 * lets it print parts of plans that it holds.
 */
export type SqlBuilder = (row: Sql, printer: Printer) => Sql

/** A value of a condition: a parameter, or a column of the current row. */
export type Operand =
  | { readonly kind: 'param'; readonly source: ParamSource; readonly type: SqlType }
  /** Another column of the same row. */
  | { readonly kind: 'column'; readonly column: string }

/**
 * The right side of a comparison: an operand, or a column of the row that the nearest enclosing `rooted` condition is
 * on.
 */
export type Comparand = Operand | { readonly kind: 'rootColumn'; readonly column: string }

/** A condition on the current row, as data; names in it are those of the database. */
export type Condition =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'null'; readonly column: string; readonly negated: boolean }
  /** `operator` is the name of one of core's operators. */
  | { readonly kind: 'compare'; readonly column: string; readonly operator: string; readonly operand: Comparand }
  /** A related row exists that fulfils `where`, which includes the `filter` of the target's permission. */
  | {
      readonly kind: 'related'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      /** Another source of the table's rows, given the alias of the current row. */
      readonly from?: SqlBuilder
    }
  | { readonly kind: 'exists'; readonly table: QualifiedName; readonly where: Condition }
  /** Compares an aggregate of the related rows that fulfil `where`. */
  | {
      readonly kind: 'aggregate'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      /** The aggregate of the rows with that alias. */
      readonly call: SqlBuilder
      /** The condition on its value, which is given in place of a row. */
      readonly holds: Condition
    }
  /** Conditions on rows of other tables within it may refer to the current row. */
  | { readonly kind: 'rooted'; readonly of: Condition }
  | { readonly kind: 'sql'; readonly build: SqlBuilder }

/** The condition that every row fulfils. */
export const always: Condition = { kind: 'true' }

/** Whether a column of the current row is null. */
export const isNull = (column: string): Condition => ({ kind: 'null', column, negated: false })

/** The same pairs; they tie only rows that fulfil the condition. */
export const onlyGiven = (mapping: Mapping, given: PairBuilder): Mapping =>
  mapping.map(([outer, inner, equality], i) => [outer, inner, i === 0 ? { ...equality, given } : (equality ?? {})])

/** The conjunction, without the parts that are always true. */
export function allOf(conditions: readonly Condition[]): Condition {
  const rest = conditions.filter(({ kind }) => kind !== 'true')
  if (rest.length === 0) return always
  return rest.length === 1 ? rest[0]! : { kind: 'and', of: rest }
}

/** The output of a row or a set of rows: an expression that yields JSON text and is never NULL. */
export type Output =
  | { readonly kind: 'object'; readonly entries: readonly OutputEntry[] }
  | {
      readonly kind: 'column'
      readonly column: string
      readonly type: PgType
      readonly path?: readonly string[] | null
    }
  | { readonly kind: 'json'; readonly text: string }
  /** A to-one relationship: the object of the related row, or null. */
  | { readonly kind: 'one'; readonly select: Select; readonly unique: boolean }
  | { readonly kind: 'many'; readonly select: Select }
  | { readonly kind: 'aggregate'; readonly select: AggregateSelect }
  /** A value that JavaScript computes later from these columns. */
  | {
      readonly kind: 'deferred'
      readonly needs: readonly NeededColumn[]
      /** A member that tells the object from values of other types at the same place; absent: it has no such member. */
      readonly mark?: string
    }
  /** `columnsOnly`: the fragment reads only columns of the row, so it may stand wherever columns may. */
  | { readonly kind: 'sql'; readonly build: SqlBuilder; readonly columnsOnly?: boolean }

/** A column that JavaScript needs, or another value of the row under a name of its own. */
export interface NeededColumn {
  readonly column: string
  readonly type: PgType
  /** Absent: the value of the column. */
  readonly value?: SqlBuilder
  /** A condition on the row, without which the value counts as null. */
  readonly given?: SqlBuilder
}

/** A member of an object in an answer. */
export interface OutputEntry {
  readonly key: string
  readonly value: Output
}

/** Whether an output needs only columns of its own row, each by its name. */
export function isOfColumns(output: Output): boolean {
  switch (output.kind) {
    case 'object':
      return output.entries.every(({ value }) => isOfColumns(value))
    case 'sql':
      return output.columnsOnly === true
    case 'deferred':
      return output.needs.every(({ given, value }) => given === undefined && value === undefined)
    default:
      return output.kind === 'column' || output.kind === 'json'
  }
}

/** Whether an output may use its row whole: in fragments of plugins, or in conditions on the row of a relationship. */
export function mayUseWholeRow(output: Output): boolean {
  switch (output.kind) {
    case 'object':
      return output.entries.some(({ value }) => mayUseWholeRow(value))
    case 'one':
    case 'many':
    case 'aggregate': {
      const { from, mapping } = output.select.rows
      return from.kind === 'sql' || mapping.some(([, , equality]) => equality?.given !== undefined)
    }
    default:
      return !isOfColumns(output)
  }
}

/** A source of rows. */
export type From =
  | { readonly kind: 'table'; readonly table: QualifiedName }
  /** A set-returning function or another table expression; it may use the alias of the outer row. */
  | { readonly kind: 'sql'; readonly build: SqlBuilder }

export type OrderTarget =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'sql'; readonly build: SqlBuilder }
  /** A value of the related row; NULL if `where` hides that row. */
  | {
      readonly kind: 'related'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      readonly unique: boolean
      readonly of: OrderTarget
    }
  /** An aggregate over all related rows; `count` has no `column`. */
  | {
      readonly kind: 'aggregate'
      readonly table: QualifiedName
      readonly mapping: Mapping
      readonly where: Condition
      readonly operator: string
      readonly column: string | null
      /** As in a condition on related rows. */
      readonly from?: SqlBuilder
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

/** The rows of an array, an object or an aggregate. */
export interface Rows {
  readonly from: From
  /** Ties the rows to the outer row; empty at the root. */
  readonly mapping: Mapping
  readonly where: Condition
  readonly distinctOn: readonly string[]
  readonly orderBy: readonly OrderItem[]
  /** Whether `orderBy` starts with a key of the table, so that an index has this order. */
  readonly orderedByKey: boolean
  /** A number in the text of the statement: PostgreSQL plans far better when it knows the limit. */
  readonly limit: number | null
  readonly offset: Operand | null
  /** The limit of the role's permission, if any. */
  readonly permissionLimit: number | null
  /** Whether several machines give the rows, so that only an order within an aggregate holds. Absent: no. */
  readonly isDistributed?: boolean
}

/** All rows, without order or limits; the caller adds their source. */
export const allRows = {
  mapping: [],
  distinctOn: [],
  orderBy: [],
  orderedByKey: false,
  limit: null,
  offset: null,
  permissionLimit: null,
} as const satisfies Partial<Rows>

/** Rows, and the form in which each is answered. */
export interface Select {
  readonly rows: Rows
  readonly output: Output
}

export interface AggregateCall {
  readonly operator: string
  /** The arguments; empty for `count(*)`. */
  readonly columns: readonly string[]
  /** The argument, if it is not a column but made of the row. */
  readonly value?: SqlBuilder
  readonly distinct: boolean
  readonly takenAs?: TakenAs
  /** The schema of the aggregate; absent: `pg_catalog`. */
  readonly schema?: string
  /** The type as whose value the result is printed; absent: by its own type. */
  readonly printedAs?: PgType
}

/**
 * The cast of an aggregate's argument if the type lacks the aggregate. `text` is for types whose texts sort as the
 * values do. Null: no cast.
 */
export type TakenAs = 'text' | 'numeric' | null

export type AggregateOutput =
  | { readonly kind: 'object'; readonly entries: readonly { readonly key: string; readonly value: AggregateOutput }[] }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'call'; readonly call: AggregateCall }
  /** The rows themselves, under the role's limit. */
  | { readonly kind: 'nodes'; readonly output: Output }

/** Aggregates of rows. */
export interface AggregateSelect {
  readonly rows: Rows
  readonly output: AggregateOutput
}

/** A root field that the database answers alone. */
export type RootOutput =
  | { readonly kind: 'many'; readonly select: Select }
  | { readonly kind: 'one'; readonly select: Select; readonly unique: boolean }
  | { readonly kind: 'aggregate'; readonly select: AggregateSelect }
  | { readonly kind: 'json'; readonly text: string }
  /** `reads`: rows and an output that read all that the fragment reads. Absent: unknown. */
  | { readonly kind: 'sql'; readonly build: SqlBuilder; readonly reads?: Select }
