// Random arguments of all fields that select rows, and their values.

import { appliesTo, numericOperators } from './aggregates.ts'
import type { Draw } from './draw.ts'
import type { Comparison, Leaf, Lift } from './expressions.ts'
import {
  drawExpression,
  drawSelective,
  drawValueComparison,
  leafOf,
  type Vocabulary,
  valuesOf,
} from './generate-expressions.ts'
import { isLiteral } from './inputs.ts'
import { type Json, Num } from './json.ts'
import type { Arguments, OrderEntry } from './request.ts'
import { columnTypes } from './types.ts'
import type { View } from './view.ts'
import { type Column, displayName, fieldName, type Relationship, type Stored, tableOf } from './world.ts'

/** A leaf whose input is its value. */
export const literalOf = <D extends boolean | string>(type: string, datum: D): Leaf<D> => ({
  type,
  input: datum,
  datum,
})

/** The members of `order_by`. */
export const directions = [
  'asc',
  'desc',
  'asc_nulls_first',
  'asc_nulls_last',
  'desc_nulls_first',
  'desc_nulls_last',
] as const

/** Creates the values of a request: literals, and sometimes variables. */
export class RequestValues {
  readonly #draw: Draw
  readonly #view: View

  constructor(draw: Draw, view: View) {
    this.#draw = draw
    this.#view = view
  }

  /** A value, sometimes replaced by a variable, which has another value in the second run. */
  leaf<D>(make: () => Leaf<D>): Leaf<D> {
    return this.lifted(make(), make)
  }

  lifted<D>(leaf: Leaf<D>, again: () => Leaf<D>): Leaf<D> {
    const draw = this.#draw
    const mustLift = !leaf.isEnum && !isLiteral(leaf.input)
    if (!mustLift && !draw.chance(0.25)) return leaf
    const { input, datum } = again()
    const byDefault = !mustLift && draw.chance(0.1)
    const lift: Lift<D> = { strict: draw.chance(0.4), byDefault, second: { input, datum } }
    return { ...leaf, lift }
  }

  /** A value for a column, similar to a stored one if there is one. */
  value(column: Column, stored: Stored): Leaf {
    const datum = stored ? stored.datum : valuesOf(this.#draw, this.#view.world)(column)
    return leafOf(this.#draw, column, datum)
  }

  /** A member of `T_select_column`; its datum is the column's id. */
  columnName(column: Column): Leaf<string> {
    const table = this.#view.world.tables.find(({ columns }) => columns.some(({ id }) => id === column.id))!
    const type = `${displayName(table)}_select_column`
    return { type, input: fieldName(column)!, datum: column.id, isEnum: true }
  }

  direction(): Leaf<string> {
    return this.leaf(() => ({ ...literalOf('order_by', this.#draw.pick(directions)), isEnum: true }))
  }

  count(min: number, max: number): Leaf<number> {
    return this.leaf(() => {
      const datum = this.#draw.integer(min, max)
      return { type: 'Int', input: new Num(String(datum)), datum }
    })
  }

  comparison(column: Column): Comparison {
    const source = valuesOf(this.#draw, this.#view.world)
    return drawValueComparison(this.#draw, column, source, (leaf, again) => this.lifted(leaf, again))
  }
}

/** Whether PostgreSQL can compare a column's values. */
export const isOrdered = ({ type }: Column): boolean => columnTypes[type].compare !== null

/** Arguments for rows of a table. */
export function drawArguments(draw: Draw, table: string, view: View, values: RequestValues): Arguments {
  const able = view.plain(table).filter(isOrdered)
  const distinct = able.length > 0 && draw.chance(0.12) ? draw.few(able, 2) : []
  const isDistinct = distinct.length > 0
  const objects = drawOrder(draw, table, view, values, distinct)
  return {
    ...(draw.chance(0.6) ? { where: drawWhere(draw, table, view, values) } : {}),
    ...(objects.length > 0 ? { orderBy: { objects, lift: draw.chance(0.1) } } : {}),
    ...(isDistinct ? { distinctOn: distinct.map((column) => values.columnName(column)) } : {}),
    ...(draw.chance(0.25) ? { limit: values.count(0, 5) } : {}),
    ...(draw.chance(0.15) ? { offset: drawOffset(draw, values) } : {}),
  }
}

function drawOffset(draw: Draw, values: RequestValues): Leaf<number> {
  const leaf = values.count(0, 4)
  // A string is not a valid Int in variables.
  return leaf.lift || draw.chance(0.8) ? leaf : { ...leaf, input: String(leaf.datum) satisfies Json }
}

/** A `where` that usually matches some of the rows. */
export function drawWhere(
  draw: Draw,
  table: string,
  view: View,
  values: RequestValues,
): NonNullable<Arguments['where']> {
  const isAggregated = ({ type, target }: Relationship) =>
    type === 'array' && view.permission(target)?.aggregations === true
  const words: Vocabulary = {
    columns: (id) => view.fields(id),
    // A role cannot query rows that it may change but not see.
    relationships: (id) => (view.permission(id) ? view.relationships(id) : []),
    aggregated: (id) => (view.permission(id) ? view.relationships(id) : []).filter(isAggregated),
    tables: [],
    comparison: (_draw, column) => values.comparison(column),
  }
  const make = () => drawExpression(draw, table, words, 3)
  const rows = view.permission(table) ? view.rows(table) : tableOf(view.world, table).rows
  const expression = drawSelective(make, rows, { world: view.world, view, run: 0 })
  return { expression, lift: draw.chance(0.1) }
}

type Order = readonly (readonly OrderEntry[])[]

/** Objects to order by, the distinct columns first. Usually the key comes last, so that the order is total. */
function drawOrder(draw: Draw, table: string, view: View, values: RequestValues, distinct: readonly Column[]): Order {
  if (!draw.chance(distinct.length > 0 ? 0.7 : 0.55)) return []
  const byColumn = ({ id }: Column): readonly OrderEntry[] => [
    { kind: 'column', column: id, direction: values.direction() },
  ]
  const first = draw.shuffled(distinct).map(byColumn)
  const free = draw
    .times(draw.chance(0.8) ? 1 : 0, 2, () => drawOrderEntry(draw, table, view, values, 2))
    .filter((entry) => entry !== null)
  const { primaryKey } = tableOf(view.world, table)
  const hasKey = view.hasKey(tableOf(view.world, table)) && draw.chance(0.85)
  const key = hasKey ? primaryKey.map((id) => byColumn(view.requireColumn(id))) : []
  const objects = [...first, ...free.map((entry) => [entry]), ...key]
  return draw.chance(0.1) ? together(objects) : objects
}

/** Merges several objects into one, which orders by its members in turn. */
function together(objects: Order): Order {
  const entries = objects.flat()
  const keys = entries.map((entry) => (entry.kind === 'column' ? entry.column : `${entry.relationship} ${entry.kind}`))
  return entries.length > 0 && new Set(keys).size === keys.length ? [entries] : objects
}

function drawOrderEntry(
  draw: Draw,
  table: string,
  view: View,
  values: RequestValues,
  depth: number,
): OrderEntry | null {
  const columns = view.fields(table).filter(isOrdered)
  const relationships = depth > 0 ? view.relationships(table) : []
  const choices: (readonly [number, () => OrderEntry | null])[] = []
  if (columns.length > 0) {
    choices.push([4, () => ({ kind: 'column', column: draw.pick(columns).id, direction: values.direction() })])
  }
  if (relationships.length > 0) {
    choices.push([
      6,
      () => {
        const { id, type, target } = draw.pick(relationships)
        if (type === 'array') return drawAggregateOrder(draw, id, target, view, values)
        const inner = drawOrderEntry(draw, target, view, values, depth - 1)
        return inner && { kind: 'related', relationship: id, of: [inner] }
      },
    ])
  }
  return choices.length === 0 ? null : draw.either(...choices)
}

function drawAggregateOrder(
  draw: Draw,
  relationship: string,
  target: string,
  view: View,
  values: RequestValues,
): OrderEntry {
  const operators = [...numericOperators, 'min', 'max'] as const
  const calls = view
    .plain(target)
    .flatMap((column) =>
      operators.filter((operator) => appliesTo(operator, column)).map((operator) => ({ operator, column: column.id })),
    )
  const call = calls.length > 0 && draw.chance(0.7) ? draw.pick(calls) : { operator: 'count', column: null }
  return { kind: 'aggregate', relationship, ...call, direction: values.direction() }
}
