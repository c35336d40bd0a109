// Random mutations that a role may send.

import type { Draw } from '../draw.ts'
import { RequestValues } from '../generate-arguments.ts'
import { ItemGenerator, Names } from '../generate-items.ts'
import type { Run } from '../request.ts'
import { Undetermined } from '../rows.ts'
import { columnTypes, type TypeName } from '../types.ts'
import { View } from '../view.ts'
import { type Column, Invalid, type Table, type World } from '../world.ts'
import { execute } from './execute.ts'
import { RowGenerator } from './generate-rows.ts'
import { WriteValues } from './generate-values.ts'
import type { Change, Mutation, MutationRoot, ResponseItem, UpdateOperator } from './mutation.ts'
import { rootKey, rootName } from './root-names.ts'
import { Writes } from './writes.ts'

/** A mutation of the role, and the world after it; null when the role may change nothing. */
export function drawMutation(
  draw: Draw,
  start: World,
  role: string | null,
): { readonly mutation: Mutation; readonly world: World } | null {
  const names = new Names()
  const roots: MutationRoot[] = []
  let world = start
  for (let count = draw.chance(0.65) ? 1 : draw.integer(2, 4); count > 0; count--) {
    const drawn = drawUseful(draw, world, role, names)
    if (!drawn) break
    roots.push(drawn.root)
    world = drawn.world
  }
  return roots.length === 0 ? null : { mutation: { role, roots }, world }
}

interface Drawn {
  readonly root: MutationRoot
  readonly world: World
}

/** Draws a few more times until a field changes something. */
function drawUseful(draw: Draw, world: World, role: string | null, names: Names): Drawn | null {
  for (let tries = 6; ; tries--) {
    const root = new MutationGenerator(draw, world, role).root()
    if (!root) return null
    const after = worldAfter({ role, roots: [root] }, world)
    if (tries > 0 && (after === null || after === world) && !draw.chance(0.15)) continue
    const alias = names.aliasFor(draw, rootName(root, world))
    return { root: { ...root, alias, wrapped: draw.chance(0.05) }, world: after ?? world }
  }
}

/** The world after a mutation; null when it is refused. */
export function worldAfter(mutation: Mutation, world: World, run: Run = 0): World | null {
  try {
    const outcome = execute(mutation, world, run)
    return outcome.kind === 'done' ? outcome.world : null
  } catch (error) {
    if (error instanceof Undetermined || error instanceof Invalid) return null
    throw error
  }
}

const plain = { alias: null, directives: {} } as const

class MutationGenerator {
  readonly #draw: Draw
  readonly #writes: Writes
  readonly #requestValues: RequestValues
  readonly #values: WriteValues
  readonly #items: ItemGenerator
  readonly #rows: RowGenerator

  constructor(draw: Draw, world: World, role: string | null) {
    const view = new View(world, role)
    this.#draw = draw
    this.#writes = new Writes(view)
    this.#requestValues = new RequestValues(draw, view)
    this.#values = new WriteValues(draw, world, this.#requestValues)
    this.#items = new ItemGenerator(draw, view, this.#requestValues)
    this.#rows = new RowGenerator(draw, {
      writes: this.#writes,
      requestValues: this.#requestValues,
      values: this.#values,
    })
  }

  /** Null when the role has no field. */
  root(): MutationRoot | null {
    const draw = this.#draw
    if (draw.chance(0.01)) return { kind: 'typename', ...plain }
    const makers = this.#writes.view.world.tables
      .filter(({ isEnum }) => !isEnum)
      .flatMap((table) => this.#makers(table))
    return makers.length === 0 ? null : draw.either(...makers)
  }

  #makers(table: Table): readonly (readonly [number, () => MutationRoot])[] {
    const makers: readonly (readonly [number, MutationRoot['kind'], () => MutationRoot])[] = [
      [6, 'insert', () => this.#insert(table)],
      [3, 'insertOne', () => this.#insertOne(table)],
      [5, 'update', () => this.#update(table)],
      [3, 'updateByKey', () => this.#updateByKey(table)],
      [3, 'updateMany', () => this.#updateMany(table)],
      [2, 'delete', () => this.#delete(table)],
      [1, 'deleteByKey', () => this.#deleteByKey(table)],
    ]
    return makers
      .filter(([, kind]) => this.#writes.has(rootKey({ kind } as Exclude<MutationRoot, { kind: 'typename' }>), table))
      .map(([weight, , make]) => [weight, make] as const)
  }

  #insert(table: Table): MutationRoot {
    const draw = this.#draw
    const conflict = draw.chance(0.35) ? this.#rows.conflict(table) : null
    const options = { depth: 2, colliding: conflict ? 0.5 : 0.04, determined: [] }
    const count = draw.either([1, () => 0], [12, () => 1], [12, () => draw.integer(2, 4)])
    const rows = this.#rows.rows(table, count, options)
    const lift = draw.chance(0.2) ? { second: this.#rows.rows(table, draw.integer(0, 4), options) } : null
    return { kind: 'insert', table: table.id, rows, bare: draw.chance(0.2), lift, conflict, ...this.#response(table) }
  }

  #insertOne(table: Table): MutationRoot {
    const conflict = this.#draw.chance(0.35) ? this.#rows.conflict(table) : null
    const row = this.#rows.row(table, {
      depth: this.#draw.integer(0, 2),
      colliding: conflict ? 0.5 : 0.04,
      determined: [],
    })
    return { kind: 'insertOne', table: table.id, row, conflict, ...this.#selection(table) }
  }

  #update(table: Table): MutationRoot {
    const where = this.#rows.where(table)
    return { kind: 'update', table: table.id, where, changes: this.#changes(table), ...this.#response(table) }
  }

  #updateMany(table: Table): MutationRoot {
    const draw = this.#draw
    const updates = draw.times(0, 3, () => {
      return { where: this.#rows.where(table), changes: this.#changes(table), lift: draw.chance(0.2) }
    })
    return { kind: 'updateMany', table: table.id, updates, ...this.#response(table) }
  }

  #updateByKey(table: Table): MutationRoot {
    const changes = this.#changes(table)
    return { kind: 'updateByKey', table: table.id, key: this.#key(table), changes, ...this.#selection(table) }
  }

  #delete(table: Table): MutationRoot {
    return { kind: 'delete', table: table.id, where: this.#rows.where(table), ...this.#response(table) }
  }

  #deleteByKey(table: Table): MutationRoot {
    return { kind: 'deleteByKey', table: table.id, key: this.#key(table), ...this.#selection(table) }
  }

  #key({ primaryKey, rows }: Table) {
    const draw = this.#draw
    const row = rows.length > 0 && draw.chance(0.9) ? draw.pick(rows) : null
    return primaryKey.map((column) => {
      const make = () => this.#requestValues.value(this.#writes.view.requireColumn(column), row?.[column] ?? null)
      return { column, leaf: this.#requestValues.leaf(make) }
    })
  }

  /** The changes of an update: usually one operator on each of a few columns. */
  #changes(table: Table): readonly Change[] {
    const draw = this.#draw
    const columns = this.#writes.updatable(table.id)
    const chosen = draw.few(columns, 3)
    const again = draw.chance(0.02) ? [draw.pick(chosen)] : []
    const byOperator = new Map<UpdateOperator, Column[]>()
    for (const column of [...chosen, ...again]) {
      const operator = draw.chance(0.3) ? '_set' : draw.pick(updateOperatorsOf(column.type))
      const before = byOperator.get(operator) ?? []
      byOperator.set(operator, before.includes(column) ? before : [...before, column])
    }
    if (draw.chance(0.02)) byOperator.clear()
    if (draw.chance(0.02)) byOperator.set('_set', [])
    return [...byOperator].map(([operator, changed]) => {
      const values = changed.map((column) => this.#values.forUpdate(column, table, operator))
      return { operator, values, lift: draw.chance(0.12) }
    })
  }

  #response(table: Table) {
    const draw = this.#draw
    const names = new Names()
    const selected = (name: string) => ({ ...this.#items.selected(names, name), wrapped: draw.chance(0.05) })
    const canReturn = this.#writes.view.permission(table.id) !== null
    const response = draw.times(1, 3, (): ResponseItem => {
      return draw.either<ResponseItem>(
        [4, () => ({ kind: 'affected', ...selected('affected_rows') })],
        [
          canReturn ? 6 : 0,
          () => ({ kind: 'returning', ...selected('returning'), items: this.#items.items(table.id, 2) }),
        ],
        [1, () => ({ kind: 'typename', ...selected('__typename') })],
      )
    })
    return { response, ...this.#directives() }
  }

  #selection(table: Table) {
    return { items: this.#items.items(table.id, 2), ...this.#directives() }
  }

  #directives() {
    return { alias: null, directives: this.#items.selected(new Names(), 'x').directives }
  }
}

/** The update operators for columns of a type. */
export function updateOperatorsOf(type: TypeName): readonly UpdateOperator[] {
  if (type === 'jsonb') return ['_set', '_delete_key', '_delete_elem', '_delete_at_path', '_append', '_prepend']
  return columnTypes[type].arithmetic ? ['_set', '_inc'] : ['_set']
}
