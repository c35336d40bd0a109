// Places in an order, and the rows after one.

import type { OrderElement } from '../../../sdk/graphql.ts'
import { comparisonSql, isComparedAsUsual, isRowType, rowComparisonSql, type Sql, sql } from '../../../sdk/sql.ts'

/** The order in the opposite direction. */
export const reversed = (order: readonly OrderElement[]): OrderElement[] =>
  order.map((element) => ({
    ...element,
    direction: element.direction === 'asc' ? 'desc' : 'asc',
    nulls: element.nulls === 'first' ? 'last' : 'first',
  }))

/**
 * The condition that a row comes after a place in an order. `keys` are the row's values, `place` those of the place;
 * `inverted`: that it does not.
 */
export function beyondSql(
  order: readonly OrderElement[],
  keys: readonly Sql[],
  place: readonly Sql[],
  { inverted = false } = {},
): Sql {
  const direction = order[0]!.direction
  const types = order.map(({ value }) => value.type)
  const isUniform = order.every((element) => element.direction === direction && !element.value.nullable)
  if (!isUniform) {
    const condition = stepwise(order, keys, place)
    return inverted ? sql`(${condition}) is not true` : sql`(${condition})`
  }
  const after = inverted ? '<=' : '>'
  const before = inverted ? '>=' : '<'
  return rowComparisonSql(direction === 'asc' ? after : before, types, [keys, place])
}

/** After by the first value, or equal in it and after by the others. */
function stepwise(order: readonly OrderElement[], keys: readonly Sql[], place: readonly Sql[]): Sql {
  const [element] = order
  const [key] = keys
  const [value] = place
  const behind = behindSql(element!, key!, value!)
  if (order.length === 1) return behind
  const level = levelSql(element!, key!, value!)
  return sql`${behind} or (${level} and (${stepwise(order.slice(1), keys.slice(1), place.slice(1))}))`
}

function levelSql({ value: { nullable, type } }: OrderElement, key: Sql, value: Sql): Sql {
  const isEqual = sql`${key} ${comparisonSql('=', type)} ${value}`
  if (!nullable) return isEqual
  if (isComparedAsUsual(type)) return sql`${key} is not distinct from ${value}`
  return sql`(${isEqual} or (${key} is null and ${value} is null))`
}

function behindSql({ direction, nulls, value: { nullable, type } }: OrderElement, key: Sql, value: Sql): Sql {
  const behind = sql`${key} ${comparisonSql(direction === 'asc' ? '>' : '<', type)} ${value}`
  if (!nullable) return behind
  const [inner, outer] = nulls === 'last' ? [key, value] : [value, key]
  // A record one of whose attributes is NULL isn't NOT NULL either.
  if (isRowType(type)) return sql`${behind} or (${inner} is not distinct from null and ${outer} is distinct from null)`
  return sql`${behind} or (${inner} is null and ${outer} is not null)`
}
