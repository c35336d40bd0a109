// Random requests that a role may make.

import { rootName } from './answer.ts'
import type { Draw } from './draw.ts'
import { RequestValues } from './generate-arguments.ts'
import { ItemGenerator, Names } from './generate-items.ts'
import type { Item, Key, Request, Root } from './request.ts'
import { View } from './view.ts'
import type { Table, TableFunction, World } from './world.ts'

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
    const draw = this.#draw
    const names = new Names()
    const count = draw.chance(0.8) ? 1 : 3
    const root = this.#view.functions('mutation').length > 0 && draw.chance(0.12) ? 'mutation' : 'query'
    const field = () => (root === 'query' ? this.#root(names) : this.#called('mutation', names))
    const roots = draw.times(1, count, () => ({ ...field(), wrapped: draw.chance(0.05) }))
    return { role: this.#role, root, stored: draw.chance(0.3), roots }
  }

  #called(of: TableFunction['root'], names: Names): Root {
    const draw = this.#draw
    const { id, table, row } = draw.pick(this.#view.functions(of))
    const root = { table, of: id }
    const selected = (kind: 'one' | 'select' | 'aggregate') =>
      this.#items.selected(names, this.#rootName({ kind, ...root }))
    if (row !== null) return { kind: 'one', ...root, ...selected('one'), items: this.#items.items(table, 2) }
    const args = this.#items.arguments(table)
    if (of === 'query' && this.#view.require(table).aggregations && draw.chance(0.3)) {
      const items = this.#items.aggregateItems(table, 1)
      return { kind: 'aggregate', ...root, ...selected('aggregate'), args, items }
    }
    return { kind: 'select', ...root, ...selected('select'), args, items: this.#items.items(table, 2) }
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
      [this.#view.hasKey(table) ? 2 : 0, () => this.#entities(table, names)],
      [aggregations ? 3 : 0, () => this.#aggregate(table, names)],
      [this.#view.functions('query').length > 0 ? 2 : 0, () => this.#called('query', names)],
    )
  }

  #rootName(root: Pick<Extract<Root, { table: string }>, 'kind' | 'table'> & { readonly of?: string }): string {
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

  #key({ primaryKey, rows }: Table): Key {
    const draw = this.#draw
    const row = rows.length > 0 && draw.chance(0.85) ? draw.pick(rows) : null
    return primaryKey.map((column) => {
      const make = () => this.#values.value(this.#view.requireColumn(column), row?.[column] ?? null)
      return { column, leaf: this.#values.leaf(make) }
    })
  }

  /** Entities of a table, and of others; some of their types have no fragment. */
  #entities(table: Table, names: Names): Root {
    const draw = this.#draw
    const tables = [
      table,
      ...draw.few(
        this.#view.tables.filter((other) => other !== table && this.#view.hasKey(other)),
        2,
      ),
    ]
    const representations = draw.times(1, 6, () => {
      const each = draw.pick(tables)
      return { table: each.id, key: this.#key(each) }
    })
    const again = draw.chance(0.2) ? [draw.pick(representations)] : []
    const fragments = draw.few(tables, 3).map(({ id }): Item => {
      const items = this.#items.items(id, 2, new Names())
      return { kind: 'fragment', named: draw.chance(0.3), on: id, items, alias: null, directives: {} }
    })
    // An alias might be one that a fragment has for another field.
    const typename: Item = { kind: 'typename', ...this.#items.selected(new Names(), '__typename'), alias: null }
    const items = fragments.length === 0 || draw.chance(0.3) ? [...fragments, typename] : fragments
    const root = { kind: 'entities', representations: [...representations, ...again], lift: draw.chance(0.4) } as const
    return { ...root, ...this.#items.selected(names, '_entities'), items }
  }

  #byKey(table: Table, names: Names): Root {
    const { id } = table
    const key = this.#key(table)
    const root = { kind: 'byKey', table: id } as const
    return { ...root, ...this.#items.selected(names, this.#rootName(root)), key, items: this.#items.items(id, 2) }
  }
}
