// The arguments of everything that selects rows: `where`, `order_by`, `distinct_on`, `limit`, `offset`.

import { type GraphQLEnumType, GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql'
import type { WantedRows } from '../../../../sdk/access.ts'
import {
  type FieldArguments,
  type FieldSelection,
  type OrderElement,
  type PlanContext,
  perTable,
  type SchemaScope,
  shared,
  tableEnum,
  type Value,
} from '../../../../sdk/graphql.ts'
import {
  isEnumValueName,
  type LaterWords,
  nameText,
  pathKeys,
  TrellisError,
  validationFailed,
} from '../../../../sdk/index.ts'
import { builtInType, type ColumnModel, keysOf, type TableModel } from '../../../../sdk/metadata.ts'
import { type Codec, codecFor, isOrdered, type Rows } from '../../../../sdk/sql.ts'
import { columnValues } from '../column-members.ts'
import { selectableColumns } from '../row-type.ts'
import { booleanExpressionType, planBoolean } from './boolean-expression.ts'
import { orderByType, planOrder } from './order-by.ts'

const columnsType = tableEnum({
  name: (table) => `${table.graphqlName}_select_column`,
  description: ({ name }) => `select columns of table "${nameText(name)}"`,
  values: (table, scope) => columnValues(scope, selectableColumns(scope, table)),
})

/** `T_select_column`; null when the role may select no column, or none whose name an enum can hold. */
export function selectColumnType(scope: SchemaScope, table: TableModel): GraphQLEnumType | null {
  const columns = selectableColumns(scope, table)
  return [...columns.keys()].some(isEnumValueName) ? columnsType(scope, table) : null
}

/** The five arguments; those whose type would be empty are left out. */
export const selectArguments = perTable((scope, table): FieldArguments => {
  const column = selectColumnType(scope, table)
  const int = GraphQLInt
  const distinct = column && {
    distinct_on: { type: new GraphQLList(new GraphQLNonNull(column)), description: 'distinct select on columns' },
  }
  const order = scope.orderFields(table).size > 0 && {
    order_by: {
      type: new GraphQLList(new GraphQLNonNull(orderByType(scope, table))),
      description: 'sort the rows by one or more columns',
    },
  }
  return shared({
    ...distinct,
    limit: { type: int, description: 'limit the number of rows returned' },
    offset: { type: int, description: 'skip the first n rows. Use only with order_by' },
    ...order,
    where: { type: booleanExpressionType(scope, table), description: 'filter the rows returned' },
  })
})

/** Where selected rows come from: a table unless something else is given, tied to the outer row by `mapping`. */
export type RowSource = Pick<WantedRows, 'from' | 'mapping'>

/** The row set that a field's arguments describe, of the rows that the role may reach. */
export function planRows(field: FieldSelection, context: PlanContext, table: TableModel, source: RowSource = {}): Rows {
  const where = field.argument('where')
  const order = planOrderBy(field, context)
  const limit = field.argument('limit')
  const offset = field.argument('offset')
  return context.schema.access(table.name)!.select!.rows({
    ...source,
    ...(where && { where: planBoolean(where, context) }),
    ...planDistinct(field, context, table, order),
    limit: readLimit(limit),
    offset: offset ? offset.param(offsetCodec, 'bigint') : null,
  })
}

/** The elements of the order that the argument `order_by` gives. */
export function planOrderBy(field: FieldSelection, context: PlanContext): readonly OrderElement[] {
  return (
    field
      .argument('order_by')
      ?.items(1)
      .flatMap((item) => planOrder(item, context)) ?? []
  )
}

function planDistinct(
  field: FieldSelection,
  context: PlanContext,
  table: TableModel,
  order: readonly OrderElement[],
): Pick<Rows, 'distinctOn' | 'orderBy' | 'orderedByKey'> {
  const columns = selectableColumns(context.schema, table)
  const items = field.argument('distinct_on')?.items(1) ?? []
  const distinctOn = [...new Set(items.map((item) => distinctColumn(item, columns, 'distinct_on').name))]
  if (order.length > 0 && distinctOn.length > 0) {
    const initial = new Set(order.slice(0, distinctOn.length).map(({ column }) => column))
    if (initial.size !== distinctOn.length || distinctOn.some((column) => !initial.has(column))) {
      const message = '"distinct_on" columns must match initial "order_by" columns'
      throw validationFailed(message, pathKeys(field.argumentsPath))
    }
  }
  return { distinctOn, orderBy: order, orderedByKey: order.length > 0 && startsWithKey(order[0]!, table) }
}

/** The column that an enum value names, by whose values PostgreSQL has to tell rows apart. */
export function distinctColumn(item: Value, columns: ReadonlyMap<string, ColumnModel>, where: string): ColumnModel {
  const column = columns.get(item.enumValue())!
  if (isOrdered(column.type)) return column
  throw item.fail(`"${item.enumValue()}" has type '${column.type.name}' and cannot be used in ${where}`)
}

const startsWithKey = ({ column }: OrderElement, { catalog }: TableModel): boolean =>
  keysOf(catalog).some(({ columns }) => column !== null && columns[0] === column)

const intCodec = codecFor(builtInType('int4'))

/** A row count that the plan depends on; null, no limit, for null and for an absent argument. */
export function readLimit(value: Value | undefined): number | null {
  if (!value || value.isNull) return null
  const count = integerOf(value)
  if (count >= 0) return count
  throw value.fail('unexpected negative value', 'not-supported').with({ inInterface2: notNatural(value) })
}

/** An integer; another value is refused in the words of either interface. */
function integerOf(value: Value): number {
  try {
    return value.integer()
  } catch (error) {
    if (!(error instanceof TrellisError) || value.isNull) throw error
    throw error.with({ inInterface2: notNatural(value) })
  }
}

const notNatural = (value: Value): LaterWords => {
  const { message, code } = value.mismatch('a non-negative 32-bit integer')
  return { message, code }
}

/** A 32-bit integer, or a string that PostgreSQL reads as one of 64 bits. */
const offsetCodec: Codec = {
  type: 'Int',
  expects: 'a 32-bit integer, or a 64-bit integer represented as a string',
  encode(value, kind) {
    if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) return value
    return intCodec.encode.call(this, value, kind)
  },
}
