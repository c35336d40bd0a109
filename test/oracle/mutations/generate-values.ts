// Random values to write.

import { conflicting } from '../constraints.ts'
import type { Draw } from '../draw.ts'
import type { Leaf } from '../expressions.ts'
import type { RequestValues } from '../generate-arguments.ts'
import { leafOf, notJsonNull } from '../generate-expressions.ts'
import { isList, isObject, type Json, Num } from '../json.ts'
import { columnTypes, type Datum, jsonKeys } from '../types.ts'
import { baseOf, type Column, columnOf, type Table, tableOf, uniquesOf, type World } from '../world.ts'
import type { GivenValue, UpdateOperator } from './mutation.ts'

export class WriteValues {
  readonly #draw: Draw
  readonly #world: World
  readonly #values: RequestValues

  constructor(draw: Draw, world: World, values: RequestValues) {
    this.#draw = draw
    this.#world = world
    this.#values = values
  }

  /** A value for a new row; `colliding` is the probability that a unique value exists already. */
  forInsert(column: Column, table: Table, colliding: number): GivenValue {
    return this.#given(column, () => this.#written(column, table, colliding))
  }

  /** The table column behind a view's column. */
  base(column: Column, table: Table): Column {
    return columnOf(this.#world, baseOf(this.#world, table.id).column(column.id))
  }

  /** The operand of an update. */
  forUpdate(column: Column, table: Table, operator: UpdateOperator): GivenValue {
    return this.#given(column, () => this.#operand(column, table, operator))
  }

  #given(column: Column, make: () => Leaf<Datum | null>): GivenValue {
    const leaf = this.#values.lifted(make(), make)
    const isNullable = leaf.input === null || leaf.lift?.second.input === null
    const lift = leaf.lift && { ...leaf.lift, strict: leaf.lift.strict && !isNullable }
    return { column: column.id, leaf: lift ? { ...leaf, lift } : leaf }
  }

  #written(column: Column, table: Table, colliding: number): Leaf<Datum | null> {
    const draw = this.#draw
    const base = this.base(column, table)
    if (draw.chance(base.nullable ? 0.12 : 0.004)) return this.#null(column)
    const datum = this.#datum(base, baseOf(this.#world, table.id).table, colliding)
    return leafOf(draw, column, notJsonNull(datum))
  }

  #null(column: Column): Leaf<null> {
    const { scalar, kind } = columnTypes[column.type]
    return { type: scalar, input: null, datum: null, ...(kind === 'enum' ? { isEnum: true } : {}) }
  }

  #datum(column: Column, table: Table, colliding: number): Datum {
    const draw = this.#draw
    const key = table.foreignKeys.find((other) => other.column === column.id)
    if (key && draw.chance(0.93)) {
      const targets = tableOf(this.#world, key.table).rows.flatMap((row) => row[key.target] ?? [])
      if (targets.length > 0) return draw.pick(targets).datum
    }
    const isUnique = uniquesOf(table).some(({ columns }) => columns.includes(column.id))
    const stored = table.rows.flatMap((row) => row[column.id] ?? [])
    if (isUnique && stored.length > 0 && draw.chance(colliding)) return draw.pick(stored).datum
    if (!isUnique) return columnTypes[column.type].draw(draw)
    return this.#fresh(column, table)
  }

  /** A value that does not exist yet, if one is left. */
  #fresh(column: Column, table: Table): Datum {
    const draw = this.#draw
    const isWhole = ['smallint', 'int', 'bigint'].includes(column.type)
    const unique = { name: '', columns: [column.id], nullsAreEqual: false }
    for (let tries = 8; ; tries--) {
      const datum = isWhole && draw.chance(0.6) ? BigInt(draw.integer(6, 99)) : columnTypes[column.type].draw(draw)
      if (tries === 0 || !columnTypes[column.type].compare) return datum
      if (!conflicting(unique, { [column.id]: { datum } }, table.rows, table)) return datum
    }
  }

  #operand(column: Column, table: Table, operator: UpdateOperator): Leaf<Datum | null> {
    const draw = this.#draw
    if (operator === '_set') return this.#written(column, table, 0.3)
    if (column.nullable && operator !== '_delete_at_path' && draw.chance(0.04))
      return { ...this.#null(column), type: this.#operandType(column, operator) }
    if (operator === '_inc') return leafOf(draw, column, columnTypes[column.type].draw(draw))
    if (operator === '_append' || operator === '_prepend') {
      return leafOf(draw, column, notJsonNull(columnTypes.jsonb.draw(draw)))
    }
    const type = this.#operandType(column, operator)
    if (operator === '_delete_elem') {
      const datum = draw.integer(-3, 3)
      return { type, input: new Num(String(datum)), datum }
    }
    const path = this.#path(column, table)
    if (operator === '_delete_at_path') return { type, input: path, datum: path }
    const key = path[0] ?? this.#step()
    return { type, input: key, datum: key }
  }

  /** Usually the path of something that a row contains. */
  #path(column: Column, table: Table): readonly string[] {
    const draw = this.#draw
    const stored = table.rows.flatMap((row) => row[column.id] ?? [])
    if (stored.length === 0 || draw.chance(0.2)) return draw.times(0, 3, () => this.#step())
    const path: string[] = []
    let at = draw.pick(stored).datum as Json
    while ((isObject(at) || isList(at)) && (path.length === 0 || draw.chance(0.6))) {
      const keys = Object.keys(at)
      if (keys.length === 0) break
      const key = draw.pick(keys)
      path.push(isList(at) && draw.chance(0.3) ? String(Number(key) - at.length) : key)
      at = (at as { readonly [key: string]: Json })[key]!
    }
    return path
  }

  #step(): string {
    return this.#draw.pick([...jsonKeys, '0', '1', '-1'])
  }

  #operandType(column: Column, operator: UpdateOperator): string {
    switch (operator) {
      case '_delete_key':
        return 'String'
      case '_delete_elem':
        return 'Int'
      case '_delete_at_path':
        return '[String!]'
      default:
        return columnTypes[column.type].scalar
    }
  }
}
