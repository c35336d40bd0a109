// Aggregates that conditions compare, and the condition on one of related rows.

import type { SelectAccess } from '../../../../sdk/access.ts'
import { builtInType, type ColumnModel, type PgType } from '../../../../sdk/metadata.ts'
import {
  type AggregateCall,
  type Condition,
  callSql,
  columnSql,
  empty,
  join,
  type Mapping,
  type Sql,
  type SqlBuilder,
  sql,
  trusted,
} from '../../../../sdk/sql.ts'

/** An aggregate that conditions may use besides `count`: the type of its columns and of its result. */
export interface ComparableAggregate {
  readonly name: string
  readonly columns: 'bool' | 'float8'
  /** Whether it takes two columns. */
  readonly isOfTwo?: boolean
}

const onDoubles = (name: string): ComparableAggregate => ({ name, columns: 'float8' })

/** The aggregates that conditions may compare, beside `count`. */
export const comparableAggregates: readonly ComparableAggregate[] = [
  onDoubles('avg'),
  { name: 'bool_and', columns: 'bool' },
  { name: 'bool_or', columns: 'bool' },
  { ...onDoubles('corr'), isOfTwo: true },
  { ...onDoubles('covar_samp'), isOfTwo: true },
  onDoubles('max'),
  onDoubles('min'),
  onDoubles('stddev_samp'),
  onDoubles('sum'),
  onDoubles('var_samp'),
]

/** The arguments of an aggregate of two columns: the dependent variable first. */
export const pairArguments = ['Y', 'X'] as const

/** Whether an aggregate takes a column. */
export const isComparedBy = ({ columns }: ComparableAggregate, { type, enumTable }: ColumnModel): boolean =>
  type.name === columns && enumTable === null

/** The type of an aggregate's value; null: `count`. */
export const comparedType = (aggregate: ComparableAggregate | null): PgType => builtInType(aggregate?.columns ?? 'int4')

/** The related rows that are aggregated. */
export interface ComparedRows {
  readonly rows: Pick<SelectAccess, 'aggregate'>
  readonly mapping: Mapping
  /** The condition on the aggregated rows. */
  readonly where: Condition
}

/** A comparison of one aggregate. */
export interface AggregateComparison {
  /** Null: `count`. */
  readonly aggregate: ComparableAggregate | null
  /** Names in the database; of two, the dependent variable first. */
  readonly columns: readonly string[]
  readonly isDistinct: boolean
  /** The condition on the value, see {@link comparedValue}. */
  readonly holds: Condition
}

/** The aggregate's value in a condition, which stands in place of a row. */
export const comparedValue = (value: Sql): Sql => value

/** The condition on an aggregate of related rows. */
export function compareAggregate(
  { rows, mapping, where }: ComparedRows,
  { aggregate, columns, isDistinct, holds }: AggregateComparison,
): Condition {
  const distinct = isDistinct && columns.length > 0
  const call = { operator: aggregate?.name ?? 'count', columns, distinct }
  const build: SqlBuilder = aggregate?.isOfTwo
    ? (row) => pairSql(call, row)
    : (row, printer) => callSql(call, row, printer)
  return rows.aggregate({ mapping, where, call: build, holds })
}

/** The call with two arguments. */
function pairSql(call: AggregateCall, row: Sql): Sql {
  const columns = join(call.columns.map((column) => columnSql(row, column)))
  return sql`${trusted(call.operator)}(${call.distinct ? sql`distinct ` : empty}${columns})`
}
