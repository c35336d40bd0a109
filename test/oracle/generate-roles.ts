// Random roles with their permissions on each table.

import type { Draw } from './draw.ts'
import { leafOf, notJsonNull, valuesOf } from './generate-expressions.ts'
import { drawFilter, drawVariable, type Session, safely } from './generate-filters.ts'
import { columnTypes, inMetadata } from './types.ts'
import {
  type Column,
  type DeletePermission,
  type InsertPermission,
  isWritable,
  type Preset,
  type Role,
  type SelectPermission,
  type Table,
  type UpdatePermission,
  type World,
} from './world.ts'

/** A role; its session variables are added to `session`. */
export function drawRole(draw: Draw, name: string, world: World, session: Session): Role {
  const roles = new RoleGenerator(draw, world, session)
  const { tables } = world
  const writable = tables.filter(({ isEnum }) => !isEnum)
  return {
    name,
    selects: draw.some(tables, 0.85).map((table) => roles.select(table)),
    inserts: draw.some(writable, 0.8).map((table) => roles.insert(table)),
    updates: draw.some(writable, 0.75).map((table) => roles.update(table)),
    deletes: draw.some(writable, 0.6).map((table) => roles.delete(table)),
    session,
  }
}

/** A role with the permissions of the world's roles, and sometimes one of its own. */
export function drawInheritedRole(draw: Draw, name: string, world: World, session: Session): Role {
  const roles = new RoleGenerator(draw, world, session)
  return {
    name,
    parents: world.roles.map((role) => role.name),
    selects: draw.some(world.tables, 0.1).map((table) => roles.select(table)),
    inserts: [],
    updates: [],
    deletes: [],
    session,
  }
}

class RoleGenerator {
  readonly #draw: Draw
  readonly #world: World
  readonly #session: Session

  constructor(draw: Draw, world: World, session: Session) {
    this.#draw = draw
    this.#world = world
    this.#session = session
  }

  select(table: Table): SelectPermission {
    const draw = this.#draw
    return {
      table: table.id,
      columns: this.#columns(table, 0.3, [0.2, 0.7, 0.8]),
      computed: draw.some(table.computed ?? [], 0.7).map(({ id }) => id),
      filter: this.#filter(table, 0.25),
      limit: draw.chance(0.25) ? draw.integer(0, 4) : null,
      aggregations: draw.chance(0.7),
    }
  }

  insert(table: Table): InsertPermission {
    const presets = this.#presets(table)
    return {
      table: table.id,
      columns: this.#columns(table, 0.5, [0.8, 0.9]),
      check: this.#filter(table, 0.45),
      presets,
    }
  }

  update(table: Table): UpdatePermission {
    const draw = this.#draw
    return {
      table: table.id,
      columns: this.#columns(table, 0.4, [0.3, 0.8]),
      filter: this.#filter(table, 0.4),
      check: draw.chance(0.5) ? null : this.#filter(table, 0.1),
      presets: this.#presets(table),
    }
  }

  delete(table: Table): DeletePermission {
    return { table: table.id, filter: this.#filter(table, 0.3) }
  }

  /** All columns, or each with one of the given probabilities. */
  #columns({ columns }: Table, all: number, some: readonly number[]): readonly string[] {
    const ids = columns.map(({ id }) => id)
    return this.#draw.chance(all) ? ids : this.#draw.some(ids, this.#draw.pick(some))
  }

  #filter(table: Table, free: number) {
    return this.#draw.chance(free) ? [] : drawFilter(this.#draw, table, this.#world, this.#session)
  }

  #presets({ columns }: Table): readonly Preset[] {
    if (!this.#draw.chance(0.35)) return []
    const able = columns.filter((column) => isWritable(column) && column.default?.kind !== 'sequence')
    return able.length === 0 ? [] : this.#draw.few(able, 2).map((column) => this.#preset(column))
  }

  #preset(column: Column): Preset {
    const draw = this.#draw
    const { id, nullable, type } = column
    const { text, scalar } = columnTypes[type]
    const value = valuesOf(draw, this.#world)
    if (draw.chance(0.4)) {
      const datum = safely(() => value(column), text)
      const variable = datum === null ? null : drawVariable(draw, this.#session, text(datum))
      if (datum !== null && variable !== null) return { column: id, value: { kind: 'session', variable, datum } }
    }
    const isNull = nullable && draw.chance(0.15)
    const leaf = isNull
      ? { type: scalar, input: null, datum: null }
      : leafOf(draw, column, inMetadata(type, notJsonNull(value(column))))
    return { column: id, value: { kind: 'literal', leaf } }
  }
}
