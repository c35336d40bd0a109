// ORDER BY, on plain columns and on values of related rows, which are joined.

import { empty, integer, join, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import type { OrderItem, OrderTarget } from '../plan/plan.ts'
import { usedList } from '../plan/used-columns.ts'
import type { Printer } from '../printer.ts'
import { orderJoins } from '../tuning.ts'
import { isThereSql } from '../types/comparing.ts'
import { aggregateName, andSql, argumentSql, columnSql, conditionSql, mappingSql, tableSql } from './condition-sql.ts'

export interface PrintedOrder {
  readonly items: readonly Sql[]
  /** Joins that follow the ordered table. */
  readonly joins: Sql
}

export function orderSql(items: readonly OrderItem[], row: Sql, printer: Printer): PrintedOrder {
  const targets = items.map(({ target }) => target)
  const { values, joins } = targetsSql(targets, row, printer)
  return { items: values.map((value, i) => orderItemSql(value, items[i]!)), joins }
}

/** The values to order by, without directions. */
export function targetsSql(
  targets: readonly OrderTarget[],
  row: Sql,
  printer: Printer,
): Pick<PrintedOrder, 'joins'> & { readonly values: readonly Sql[] } {
  const joins: Sql[] = []
  const values = targets.map((target) => targetSql(target, row, { joins, printer }))
  return { values, joins: join(joins, '') }
}

/** A value with its direction. */
export const orderItemSql = (value: Sql, { direction, nulls }: Pick<OrderItem, 'direction' | 'nulls'>): Sql =>
  sql`${value} ${trusted(direction)} nulls ${trusted(nulls)}`

/** The joins that the values of one row have added so far. */
interface OrderFrame {
  readonly joins: Sql[]
  readonly printer: Printer
}

/** The value to order by; adds the joins that it needs to `joins`. */
function targetSql(target: OrderTarget, row: Sql, frame: OrderFrame): Sql {
  const { joins, printer } = frame
  switch (target.kind) {
    case 'column':
      return columnSql(row, target.column)
    case 'sql':
      return sql`(${target.build(row, printer)})`
    case 'related': {
      const inner = printer.alias()
      const on = andSql(mappingSql(target.mapping, row, inner, printer), conditionSql(target.where, inner, printer))
      if (joins.length >= orderJoins) return subquerySql(target, { inner, on }, printer)
      const rows = sql`${tableSql(target.table)} as ${inner}`
      if (target.unique) {
        joins.push(sql` left join ${rows} on ${on}`)
        return relatedValue(target, inner, frame)
      }
      const place = joins.push(empty)
      const value = relatedValue(target, inner, frame)
      const columns = usedList(inner, { fragments: [value, ...joins.slice(place)] })
      const one = sql`select ${columns} from ${rows} where ${on} limit ${integer(1)}`
      joins[place - 1] = sql` left join lateral (${one}) as ${inner} on true`
      return value
    }
    case 'aggregate': {
      const inner = printer.alias()
      const on = andSql(mappingSql(target.mapping, row, inner, printer), conditionSql(target.where, inner, printer))
      const argument = target.column === null ? sql`*` : argumentSql(inner, target.column, target.takenAs)
      const call = sql`${aggregateName(target)}(${argument})`
      const source = target.from ? target.from(row, printer) : tableSql(target.table)
      return sql`(select ${call} from ${source} as ${inner} where ${on})`
    }
    default:
      return target satisfies never
  }
}

type Related = Extract<OrderTarget, { kind: 'related' }>

function relatedValue({ of, mapping }: Related, inner: Sql, frame: OrderFrame): Sql {
  const value = targetSql(of, inner, frame)
  if (of.kind !== 'aggregate') return value
  const [, column, equality] = mapping[0]!
  // Without a related row the count is NULL instead of zero.
  return sql`case when ${isThereSql(columnSql(inner, column), equality?.isRow === true)} then ${value} end`
}

/** The value of a related row that exceeds the number of joins. */
function subquerySql(target: Related, { inner, on }: { readonly inner: Sql; readonly on: Sql }, printer: Printer): Sql {
  const joins: Sql[] = []
  const value = relatedValue(target, inner, { joins, printer })
  const rows = sql`${tableSql(target.table)} as ${inner}${join(joins, '')}`
  return sql`(select ${value} from ${rows} where ${on} limit ${integer(1)})`
}
