// What plugins take away of tables for everybody, administrators included: rows that nobody reaches, and changes that
// become others.

import type { Change, ColumnValue, Delete, Update } from '../compiler/plan/mutation-plan.ts'
import { allOf, always, type Condition } from '../compiler/plan/plan.ts'
import { messageOf } from '../errors/thrown.ts'
import { conditionOf, type Model, type RowCondition, type TableModel } from '../metadata/document/model.ts'
import { nameKey, nameText, type QualifiedName, sameName } from '../names/names.ts'

/** A table as a role meets it. */
export interface NarrowedTable {
  readonly table: TableModel
  readonly role: string
  readonly model: Model
}

/**
 * What a plugin narrows. `rows` and `written` are asked once for each role, table and generation of the model, and so must
 * depend on nothing else; what differs from request to request are session variables in their conditions.
 */
export interface Narrowing {
  /** Said when it fails; no two have the same. */
  readonly name: string
  /**
   * The condition on the row at hand without which nobody reaches a row of the table, to read or to change it; null: none.
   * What the condition itself looks at, through relationships, is not narrowed.
   */
  rows?(target: NarrowedTable): Condition | null
  /** What must hold for each row that is inserted or updated, beside the permission's own check; null: nothing. */
  written?(target: NarrowedTable): Condition | null
  /** What is done in the place of a change: the same change, or another of the same table. */
  change?(change: Change, target: NarrowedTable): Change
}

/** The update of the rows that a deletion is about. */
export const updateInstead = ({ table, where }: Delete, values: readonly ColumnValue[]): Update => ({
  kind: 'update',
  table,
  assignments: values.map((value) => ({ ...value, operator: '_set' })),
  where,
  check: null,
})

/** The narrowings of all plugins as one role meets them in one generation of the model. */
export class Narrower {
  readonly #narrowings: readonly Narrowing[]
  readonly #role: string
  readonly #model: Model
  readonly #rows = new Map<string, Condition>()

  constructor(narrowings: readonly Narrowing[], role: string, model: Model) {
    this.#narrowings = narrowings
    this.#role = role
    this.#model = model
  }

  /** The condition on the rows of a table that can be reached. */
  rows(name: QualifiedName): Condition {
    if (this.#narrowings.length === 0) return always
    const key = nameKey(name)
    let rows = this.#rows.get(key)
    if (!rows) {
      const table = this.#model.tables.get(key)
      rows = table ? this.#ask(table, 'rows') : always
      this.#rows.set(key, rows)
    }
    return rows
  }

  /** The condition on rows of a table that are written. */
  written(table: TableModel): Condition {
    return this.#ask(table, 'written')
  }

  /** The condition of a permission, which looks only at rows of other tables that can be reached. */
  permitted(of: RowCondition): Condition {
    const condition = conditionOf(of)
    return this.#narrowings.length === 0 ? condition : this.#within(condition)
  }

  #within(condition: Condition): Condition {
    switch (condition.kind) {
      case 'and':
      case 'or':
        return { ...condition, of: condition.of.map((part) => this.#within(part)) }
      case 'not':
      case 'rooted':
        return { ...condition, of: this.#within(condition.of) }
      case 'related':
      case 'exists':
        return { ...condition, where: allOf([this.rows(condition.table), this.#within(condition.where)]) }
      default:
        return condition
    }
  }

  /** What is done in the place of a change. */
  change(change: Change, table: TableModel): Change {
    let result = change
    for (const narrowing of this.#narrowings) {
      const done = attempt(narrowing, table, () => narrowing.change?.(result, this.#target(table)) ?? result)
      if (!sameName(done.table, change.table) || (change.kind === 'insert') !== (done.kind === 'insert')) {
        throw failure(narrowing, table, `it turned "${change.kind}" into "${done.kind}" on "${nameText(done.table)}"`)
      }
      result = done
    }
    const form = table.catalog.rewritten?.[result.kind]
    return form ? { ...result, form } : result
  }

  #ask(table: TableModel, what: 'rows' | 'written'): Condition {
    const target = this.#target(table)
    return allOf(this.#narrowings.map((each) => attempt(each, table, () => each[what]?.(target) ?? always)))
  }

  #target(table: TableModel): NarrowedTable {
    return { table, role: this.#role, model: this.#model }
  }
}

function attempt<T>(narrowing: Narrowing, table: TableModel, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failure(narrowing, table, messageOf(error), error)
  }
}

const failure = ({ name }: Narrowing, table: TableModel, reason: string, cause?: unknown): Error =>
  new Error(`the narrowing "${name}" failed for table "${nameText(table.name)}": ${reason}`, { cause })
