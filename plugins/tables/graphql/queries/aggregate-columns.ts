// Which columns an aggregate works on.

import { arraysAreLists, perTable, type SchemaScope } from '../../../../sdk/graphql.ts'
import { isGraphQLName } from '../../../../sdk/index.ts'
import { builtInType, type ColumnModel, memberValue, type PgType, type TableModel } from '../../../../sdk/metadata.ts'
import { isOrdered, type SqlBuilder, type TakenAs } from '../../../../sdk/sql.ts'
import { selectableColumns } from '../row-type.ts'

/** Aggregates over numeric columns whose result is a Float, but for `sum`, which keeps the column's type. */
export const numericAggregates = [
  'avg',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'sum',
  'var_pop',
  'var_samp',
  'variance',
] as const

const numeric = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money'])

const comparable = new Set([
  ...numeric,
  'text',
  'varchar',
  'citext',
  'date',
  'timestamp',
  'timestamptz',
  'timetz',
  'uuid',
  'raster',
])

/** A value that aggregates may take. */
export type Aggregable = Pick<ColumnModel, 'type' | 'enumTable'>

/** Whether `_inc` and the numeric aggregates work on a column. */
export const isNumeric = (column: Aggregable): boolean => column.enumTable === null && numeric.has(column.type.name)

const isComparable = ({ settings }: SchemaScope, { enumTable, type }: Aggregable): boolean =>
  enumTable === null && (comparable.has(type.name) || (arraysAreLists(settings) && type.isArray && isOrdered(type)))

/** Types that PostgreSQL 18 has no `min` and `max` for; the order of their texts is that of their values. */
const orderedAsText = new Set(['uuid'])

/** Aggregates that money has; for the others it is a number. */
const moneyAggregates = new Set(['sum', 'max', 'min'])

/** The type that an aggregate takes a column as, where the column's type lacks the aggregate. */
export function takenAs(operator: string, { type }: Pick<Aggregable, 'type'>): TakenAs {
  if (type.name === 'money') return moneyAggregates.has(operator) ? null : 'numeric'
  return isExtreme(operator) && orderedAsText.has(type.name) ? 'text' : null
}

const floats = new Set(['float4', 'float8'])

/** The type of an aggregate's result. */
export function aggregatedType(operator: string, column: ColumnModel): PgType {
  const { type } = column
  if (isExtreme(operator)) return takenAs(operator, column) === 'text' ? builtInType('text') : type
  if (operator !== 'sum') return builtInType(floats.has(type.name) ? 'float8' : 'numeric')
  if (type.name === 'int2' || type.name === 'int4') return builtInType('int8')
  return type.name === 'int8' ? builtInType('numeric') : type
}

/** Whether an aggregate is the largest or the smallest value. */
export const isExtreme = (operator: string): boolean => operator === 'max' || operator === 'min'

/** The schema of an aggregate; undefined: it is PostgreSQL's own. */
export function aggregateSchema(operator: string, column: Pick<Aggregable, 'type'>): string | undefined {
  const schema = column.type.comparison?.extremes ?? null
  const isOwn = isExtreme(operator) && schema !== null && schema !== 'pg_catalog'
  return isOwn && takenAs(operator, column) === null ? schema : undefined
}

/** Whether PostgreSQL has the largest and the smallest of a column's values. */
const hasExtremes = (scope: SchemaScope, column: Aggregable): boolean =>
  isComparable(scope, column) &&
  (scope.dialect.lenientSchema || takenAs('max', column) === 'text' || column.type.comparison?.extremes !== null)

/** Whether an aggregate works on a value. */
const fits = (scope: SchemaScope, operator: string, value: Aggregable): boolean =>
  isExtreme(operator) ? hasExtremes(scope, value) : isNumeric(value)

/** The selectable columns that an aggregate works on, by GraphQL name. */
export const columnsOf = (scope: SchemaScope, table: TableModel, operator: string): ReadonlyMap<string, ColumnModel> =>
  isExtreme(operator) ? extremeColumns(scope, table) : numericColumns(scope, table)

const columnsThatFit = (operator: string) =>
  perTable(
    (scope, table): ReadonlyMap<string, ColumnModel> =>
      new Map([...selectableColumns(scope, table)].filter(([, column]) => fits(scope, operator, column))),
  )

const extremeColumns = columnsThatFit('max')
const numericColumns = columnsThatFit('sum')

/** A value of a row that is not a column's. */
interface ComputedValue {
  readonly type: PgType
  readonly value: SqlBuilder
}

/** The computed fields that an aggregate works on and the role may select, as far as they need no arguments. */
export function computedOf(
  scope: SchemaScope,
  table: TableModel,
  operator: string,
): ReadonlyMap<string, ComputedValue> {
  const selectable = scope.access(table.name)?.select?.computedFields
  const found = new Map<string, ComputedValue>()
  for (const field of table.fields.values()) {
    const member = memberValue(field)
    if (member?.kind !== 'scalar' || !selectable?.has(field.name) || !isGraphQLName(field.name)) continue
    const { type, value } = member
    if (fits(scope, operator, { type, enumTable: null })) found.set(field.name, { type, value })
  }
  return found
}
