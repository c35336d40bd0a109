// Random selections of rows, and of aggregates over them.

import { appliesTo, numericOperators } from './aggregates.ts'
import { itemName } from './answer.ts'
import type { Draw } from './draw.ts'
import type { Leaf } from './expressions.ts'
import { drawArguments, isOrdered, literalOf, type RequestValues } from './generate-arguments.ts'
import { jsonPathText } from './json-paths.ts'
import type { AggregateItem, Arguments, Call, CallColumn, Directives, Item } from './request.ts'
import { jsonKeys } from './types.ts'
import type { View } from './view.ts'
import { type Column, fieldName, type Relationship } from './world.ts'

const aliases = ['_', 'data', 'j', 't0', 'alias', 'constructor', '__proto__', 'root', `long${'g'.repeat(70)}`] as const

/** Response names of one selection set. */
export class Names {
  readonly #taken = new Set<string>()

  /** An alias for a field; null when the field's own name is free. */
  aliasFor(draw: Draw, name: string): string | null {
    if (!this.#taken.has(name) && draw.chance(0.8)) {
      this.#taken.add(name)
      return null
    }
    const free = aliases.filter((alias) => !this.#taken.has(alias))
    const alias = free.length > 0 && draw.chance(0.6) ? draw.pick(free) : `alias_${this.#taken.size}`
    this.#taken.add(alias)
    return alias
  }
}

const noDirectives: Directives = {}

/** Draws selections that a role may use. */
export class ItemGenerator {
  readonly #draw: Draw
  readonly #view: View
  readonly #values: RequestValues

  constructor(draw: Draw, view: View, values: RequestValues) {
    this.#draw = draw
    this.#view = view
    this.#values = values
  }

  /** The alias and the directives of a field. */
  selected(names: Names, name: string) {
    return { alias: names.aliasFor(this.#draw, name), directives: this.#directives() }
  }

  #directives(): Directives {
    const draw = this.#draw
    if (!draw.chance(0.08)) return noDirectives
    const condition = () => this.#values.leaf((): Leaf<boolean> => literalOf('Boolean', draw.chance(0.7)))
    return draw.either<Directives>(
      [2, () => ({ include: condition() })],
      [1, () => ({ skip: condition() })],
      [1, () => ({ include: condition(), skip: condition() })],
    )
  }

  /** Arguments for rows of a table. */
  arguments(table: string): Arguments {
    return drawArguments(this.#draw, table, this.#view, this.#values)
  }

  /** The selection of a row. */
  items(table: string, depth: number, names = new Names()): readonly Item[] {
    const draw = this.#draw
    const items = draw.times(1, depth === 0 ? 3 : 5, () => this.#item(table, depth, names))
    // The same fragment or column twice: both merge.
    const again = items.filter(({ kind }) => kind === 'fragment' || kind === 'column')
    return again.length > 0 && draw.chance(0.1) ? [...items, draw.pick(again)] : items
  }

  #item(table: string, depth: number, names: Names): Item {
    const draw = this.#draw
    const columns = this.#view.fields(table)
    const relationships = depth > 0 ? this.#view.relationships(table) : []
    return draw.either<Item>(
      [columns.length > 0 ? 8 : 0, () => this.#column(draw.pick(columns), names)],
      [relationships.length > 0 ? 6 : 0, () => this.#related(draw.pick(relationships), depth, names)],
      [1, () => this.#typename(names)],
      [depth > 0 ? 1 : 0, () => this.#fragment(table, depth, names)],
    )
  }

  #typename(names: Names) {
    return { kind: 'typename', ...this.selected(names, '__typename') } as const
  }

  #column(column: Column, names: Names): Item {
    const draw = this.#draw
    const selected = this.selected(names, fieldName(column)!)
    const isJson = column.computedOf === undefined && (column.type === 'json' || column.type === 'jsonb')
    if (!isJson || !draw.chance(0.4)) return { kind: 'column', column: column.id, path: null, ...selected }
    const path = this.#values.leaf(() => {
      const keys = draw.times(0, 2, () => draw.pick(jsonKeys))
      return { type: 'String', input: jsonPathText(draw, keys), datum: keys }
    })
    return { kind: 'column', column: column.id, path, ...selected }
  }

  #related({ id, type, target }: Relationship, depth: number, names: Names): Item {
    const draw = this.#draw
    const named = <K extends 'object' | 'array' | 'aggregate'>(kind: K) => {
      const item = { kind, relationship: id }
      return { ...item, ...this.selected(names, itemName(item as unknown as Item, this.#view)) }
    }
    if (type === 'object') return { ...named('object'), items: this.items(target, depth - 1) }
    const args = this.arguments(target)
    const { aggregations } = this.#view.require(target)
    if (aggregations && draw.chance(0.4)) {
      return { ...named('aggregate'), args, items: this.aggregateItems(target, depth - 1) }
    }
    return { ...named('array'), args, items: this.items(target, depth - 1) }
  }

  #fragment(table: string, depth: number, names: Names): Item {
    const draw = this.#draw
    const other = draw.pick(this.#view.tables)
    const on = draw.either<string | null>([3, () => table], [1, () => null], [1, () => other.id])
    const named = on !== null && draw.chance(0.5)
    // A selection on another type never appears, but its names must not clash if it did.
    const items = this.items(on ?? table, depth - 1, on === null || on === table ? names : new Names())
    return { kind: 'fragment', named, on, items, alias: null, directives: this.#directives() }
  }

  /** The selection of an aggregate. */
  aggregateItems(table: string, depth: number): readonly AggregateItem[] {
    const draw = this.#draw
    const names = new Names()
    return draw.times(1, 2, () =>
      draw.either<AggregateItem>(
        [6, () => ({ kind: 'calls', ...this.selected(names, 'aggregate'), calls: this.#calls(table) })],
        [4, () => ({ kind: 'nodes', ...this.selected(names, 'nodes'), items: this.items(table, depth) })],
        [1, () => this.#typename(names)],
      ),
    )
  }

  #calls(table: string): readonly Call[] {
    const draw = this.#draw
    const names = new Names()
    const columns = this.#view.plain(table).filter(isOrdered)
    const operators = [...numericOperators, 'min', 'max'].filter((operator) =>
      columns.some((column) => appliesTo(operator, column)),
    )
    return draw.times(1, 3, () =>
      draw.either<Call>(
        [3, () => this.#count(columns, names)],
        [operators.length > 0 ? 5 : 0, () => this.#operator(draw.pick(operators), columns, names)],
        [1, () => this.#typename(names)],
      ),
    )
  }

  #count(columns: readonly Column[], names: Names): Call {
    const draw = this.#draw
    const chosen = columns.length > 0 && draw.chance(0.7) ? draw.few(columns, 2) : null
    const leaves = chosen?.map((column) => this.#values.columnName(column))
    const distinct = draw.chance(0.5) ? this.#values.leaf(() => literalOf('Boolean', draw.chance(0.7))) : null
    const listed = draw.chance(0.05) && columns.length > 0 ? [] : (leaves ?? null)
    return { kind: 'count', columns: listed, distinct, ...this.selected(names, 'count') }
  }

  #operator(operator: string, columns: readonly Column[], names: Names): Call {
    const draw = this.#draw
    const fitting = columns.filter((column) => appliesTo(operator, column))
    const inner = new Names()
    const chosen = draw.few(fitting, 3).map((column): CallColumn => {
      return { column: column.id, alias: inner.aliasFor(draw, fieldName(column)!) }
    })
    const typename = draw.chance(0.1) ? [{ column: null, alias: inner.aliasFor(draw, '__typename') }] : []
    return { kind: 'operator', operator, columns: [...chosen, ...typename], ...this.selected(names, operator) }
  }
}
