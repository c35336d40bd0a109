// Random requests that a role may make.

import { rootName } from './answer.ts'
import type { Draw } from './draw.ts'
import { RequestValues } from './generate-arguments.ts'
import { ItemGenerator, Names } from './generate-items.ts'
import type { Request, Root } from './request.ts'
import { View } from './view.ts'
import type { Table, World } from './world.ts'

/** A request of the role; null is admin. */
export function drawRequest(draw: Draw, world: World, role: string | null): Request {
  return new RequestGenerator(draw, world, role).request()
}

class RequestGenerator {
  readonly #draw: Draw
  readonly #view: View
  readonly #role: string | null
  readonly #values: RequestValues
  readonly #items: ItemGenerator

  constructor(draw: Draw, world: World, role: string | null) {
    this.#draw = draw
    this.#view = new View(world, role)
    this.#role = role
    this.#values = new RequestValues(draw, this.#view)
    this.#items = new ItemGenerator(draw, this.#view, this.#values)
  }

  request(): Request {
    const names = new Names()
    const count = this.#draw.chance(0.8) ? 1 : 3
    const roots = this.#draw.times(1, count, () => ({ ...this.#root(names), wrapped: this.#draw.chance(0.05) }))
    return { role: this.#role, roots }
  }

  #root(names: Names): Root {
    const draw = this.#draw
    const { tables } = this.#view
    if (tables.length === 0 || draw.chance(0.03))
      return { kind: 'typename', ...this.#items.selected(names, '__typename') }
    const table = draw.pick(tables)
    const { aggregations } = this.#view.require(table.id)
    return draw.either<Root>(
      [6, () => this.#select(table, names)],
      [this.#view.hasKey(table) ? 2 : 0, () => this.#byKey(table, names)],
      [aggregations ? 3 : 0, () => this.#aggregate(table, names)],
    )
  }

  #rootName(root: Pick<Extract<Root, { table: string }>, 'kind' | 'table'>): string {
    return rootName(root as Root, this.#view.world)
  }

  #select({ id }: Table, names: Names): Root {
    const root = { kind: 'select', table: id } as const
    const args = this.#items.arguments(id)
    return { ...root, ...this.#items.selected(names, this.#rootName(root)), args, items: this.#items.items(id, 2) }
  }

  #aggregate({ id }: Table, names: Names): Root {
    const root = { kind: 'aggregate', table: id } as const
    const args = this.#items.arguments(id)
    return {
      ...root,
      ...this.#items.selected(names, this.#rootName(root)),
      args,
      items: this.#items.aggregateItems(id, 1),
    }
  }

  #byKey(table: Table, names: Names): Root {
    const { id, primaryKey, rows } = table
    const draw = this.#draw
    const row = rows.length > 0 && draw.chance(0.85) ? draw.pick(rows) : null
    const key = primaryKey.map((column) => {
      const make = () => this.#values.value(this.#view.requireColumn(column), row?.[column] ?? null)
      return { column, leaf: this.#values.leaf(make) }
    })
    const root = { kind: 'byKey', table: id } as const
    return { ...root, ...this.#items.selected(names, this.#rootName(root)), key, items: this.#items.items(id, 2) }
  }
}
