// Random rows to insert, with related rows.

import type { Draw } from '../draw.ts'
import { drawWhere, literalOf, type RequestValues } from '../generate-arguments.ts'
import { type Column, displayName, fieldName, type Relationship, type Table, tableOf, type Unique } from '../world.ts'
import type { WriteValues } from './generate-values.ts'
import type { Conflict, GivenValue, InsertRow, NestedRows, Where } from './mutation.ts'
import type { Writes } from './writes.ts'

interface Parts {
  readonly writes: Writes
  readonly requestValues: RequestValues
  readonly values: WriteValues
}

export class RowGenerator {
  readonly #draw: Draw
  readonly #parts: Parts

  constructor(draw: Draw, parts: Parts) {
    this.#draw = draw
    this.#parts = parts
  }

  /** Rows of one list; `determined` columns get their values from elsewhere. */
  rows(table: Table, count: number, options: RowOptions): readonly InsertRow[] {
    const nests = options.depth > 0 && this.#draw.chance(0.35)
    return Array.from({ length: count }, () => this.row(table, { ...options, depth: nests ? options.depth : 0 }))
  }

  row(table: Table, { depth, colliding, determined }: RowOptions): InsertRow {
    const draw = this.#draw
    const isFree = (column: string) => !determined.includes(column) || draw.chance(0.01)
    const related = depth > 0 ? this.#related(table, determined) : []
    const own = related.flatMap(({ after, mapping }) => (after ? [] : mapping.map(([column]) => column)))
    const values = this.#parts.writes
      .insertable(table.id)
      .filter(({ id }) => isFree(id) && (!own.includes(id) || draw.chance(0.01)))
      .filter((column) => !draw.chance(omission(this.#parts.values.base(column, table))))
      .map((column): GivenValue => this.#parts.values.forInsert(column, table, colliding))
    const nested = related.map((relationship) => this.#nested(relationship, depth))
    return { values, nested, lift: draw.chance(0.08) }
  }

  /** Relationships with nested rows; two objects for the same column are rare. */
  #related(table: Table, determined: readonly string[]): readonly Relationship[] {
    const draw = this.#draw
    const able = this.#parts.writes
      .relationships(table.id)
      .filter(({ target }) => !tableOf(this.#parts.writes.view.world, target).isEnum)
    const taken = new Set(determined)
    return draw.some(able, 0.5).filter(({ after, mapping }) => {
      if (after) return true
      if (mapping.some(([own]) => taken.has(own)) && !draw.chance(0.03)) return false
      for (const [own] of mapping) taken.add(own)
      return true
    })
  }

  #nested({ id, type, mapping, target, after }: Relationship, depth: number): NestedRows {
    const draw = this.#draw
    const table = tableOf(this.#parts.writes.view.world, target)
    const conflict = draw.chance(0.3) ? this.conflict(table) : null
    const colliding = conflict ? 0.5 : 0.05
    if (type === 'object') {
      const given = after ? mapping.map(([, theirs]) => theirs) : []
      const row = this.row(table, { depth: depth - 1, colliding, determined: given })
      return { relationship: id, rows: [row], bare: false, conflict }
    }
    if (draw.chance(0.05)) return { relationship: id, rows: null, bare: false, conflict: null }
    const determined = mapping.map(([, theirs]) => theirs)
    const rows = this.rows(table, draw.integer(0, 2), { depth: depth - 1, colliding, determined })
    return { relationship: id, rows, bare: draw.chance(0.2), conflict }
  }

  /** An `on_conflict`, if the role has it. */
  conflict(table: Table): Conflict | null {
    const draw = this.#draw
    const { writes, requestValues } = this.#parts
    const constraints = writes.constraints(table)
    if (constraints.length === 0) return null
    const name = displayName(table)
    const constraint = requestValues.leaf(() => {
      const { name: datum } = draw.pick<Unique>(constraints)
      return { ...literalOf(`${name}_constraint`, datum), isEnum: true }
    })
    const updatable = writes.updatable(table.id)
    const chosen = draw.chance(0.2) ? [] : draw.few(updatable, 3)
    const columns = chosen.map((column) => {
      return { type: `${name}_update_column`, input: fieldName(column)!, datum: column.id, isEnum: true }
    })
    return {
      constraint,
      columns: columns.length === 0 && draw.chance(0.5) ? null : columns,
      where: draw.chance(0.3) ? this.where(table) : null,
      lift: draw.chance(0.1),
    }
  }

  where(table: Table): Where {
    return drawWhere(this.#draw, table.id, this.#parts.writes.view, this.#parts.requestValues)
  }
}

export interface RowOptions {
  /** The maximum depth of related rows. */
  readonly depth: number
  /** The probability that a unique value exists already. */
  readonly colliding: number
  readonly determined: readonly string[]
}

/** The probability that a row omits a column. */
function omission(column: Column): number {
  if (column.default) return column.default.kind === 'sequence' ? 0.7 : 0.5
  return column.nullable ? 0.3 : 0.01
}
