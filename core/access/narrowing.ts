// Restrictions by plugins that apply to every role, administrators included. They hide rows, check written rows, and
// replace changes.

import { mapColumnValues } from '../compiler/plan/mapped-values.ts'
import type { Change, ColumnValue, Delete, Update } from '../compiler/plan/mutation-plan.ts'
import { allOf, always, type Condition } from '../compiler/plan/plan.ts'
import { TrellisError } from '../errors/errors.ts'
import { requireReturn } from '../errors/returned.ts'
import { messageOf } from '../errors/thrown.ts'
import {
  conditionOf,
  type Model,
  type RowCondition,
  type SelectPermission,
  type TableModel,
} from '../metadata/document/model.ts'
import { nameKey, nameText, type QualifiedName, sameName } from '../names/names.ts'
import { distributedChange } from './distributed-changes.ts'
import { type ReadColumns, readColumns } from './transformed-columns.ts'

/** A table, and the role that accesses it. */
export interface NarrowedTable {
  readonly table: TableModel
  readonly role: string
  readonly model: Model
}

/**
 * A plugin's restriction. `rows` and `written` are called once for each role, table and generation of the model, so
 * they must depend on nothing else. Their conditions may use session variables, which differ from request to request.
 */
export interface Narrowing {
  /** The name in error messages; it must be unique. */
  readonly name: string
  /**
   * A condition on the current row; rows that do not fulfil it can be neither read nor changed. Null: all rows are
   * visible. Related rows that the condition itself looks at are not narrowed.
   */
  rows?(target: NarrowedTable): Condition | null
  /** A condition on each inserted or updated row, in addition to the permission's check; null: no condition. */
  written?(target: NarrowedTable): Condition | null
  /**
   * Replaces a change with another change of the same table, or returns it unchanged. A thrown `TrellisError` refuses
   * it.
   */
  change?(change: Change, target: NarrowedTable): Change
}

const changeKinds: ReadonlySet<unknown> = new Set(['insert', 'update', 'delete'] satisfies Change['kind'][])

/** A restriction and the plugin that declared it. */
export interface OwnedNarrowing {
  readonly narrowing: Narrowing
  readonly owner: string
}

/** An update of the rows that would be deleted. */
export const updateInstead = ({ table, where }: Delete, values: readonly ColumnValue[]): Update => ({
  kind: 'update',
  table,
  assignments: values.map((value) => ({ ...value, operator: '_set' })),
  where,
  check: null,
})

/** The refusal of a plugin, for the client. Its path is relative to the field or the arguments that it refuses. */
export class NarrowingRefusal extends TrellisError {
  constructor(error: TrellisError) {
    super(error.status, error.code, error.message, error.details)
    if (error.stack !== undefined) this.stack = error.stack
  }
}

/** The narrowings of all plugins, for one role and one generation of the model. */
export class Narrower {
  readonly #narrowings: readonly OwnedNarrowing[]
  readonly #role: string
  readonly #model: Model
  readonly #rows = new Map<string, Condition>()

  constructor(narrowings: readonly OwnedNarrowing[], role: string, model: Model) {
    this.#narrowings = narrowings
    this.#role = role
    this.#model = model
  }

  /** The condition that a row of the table must fulfil to be visible. */
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

  /** The condition that a written row of the table must fulfil. */
  written(table: TableModel): Condition {
    return this.#ask(table, 'written')
  }

  /** The condition of a permission, extended so that rows of other tables in it must be visible. */
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
      case 'aggregate':
        return { ...condition, where: allOf([this.rows(condition.table), this.#within(condition.where)]) }
      default:
        return condition
    }
  }

  /** The change after all narrowings have replaced it. */
  change(change: Change, table: TableModel): Change {
    let result = change
    for (const owned of this.#narrowings) {
      if (!owned.narrowing.change) continue
      const done = attempt(owned, table, () => {
        const given = owned.narrowing.change!(result, this.#target(table))
        return requireReturn('change', 'a change', given, changeKinds.has(given?.kind) && given.table !== undefined)
      })
      if (!sameName(done.table, change.table) || (change.kind === 'insert') !== (done.kind === 'insert')) {
        throw failure(owned, table, `it changed "${change.kind}" into "${done.kind}" on "${nameText(done.table)}"`)
      }
      result = done
    }
    const written = placed(transformed(result, table), table)
    const form = table.catalog.rewritten?.[written.kind]
    return form ? { ...written, form } : written
  }

  /** The columns that a select permission names, as the role reads them. */
  columns({ columns, masks }: SelectPermission, table: TableModel): ReadColumns {
    const reader = { role: this.#role, model: this.#model }
    if (!masks) return readColumns(columns, table, reader)
    const seenBy = (roles: readonly string[]) => {
      const rows = masks.seenBy(roles)
      return rows && this.permitted(rows)
    }
    const composed = { masks: this.masks(masks.columns), showing: masks.showing, seenBy }
    return readColumns(columns, table, { ...reader, composed })
  }

  /** The conditions under which a role sees members of rows. */
  masks(of: ReadonlyMap<string, RowCondition>): ReadonlyMap<string, Condition> {
    return new Map([...of].map(([name, mask]) => [name, this.permitted(mask)]))
  }

  #ask(table: TableModel, what: 'rows' | 'written'): Condition {
    const target = this.#target(table)
    const asking = this.#narrowings.filter(({ narrowing }) => narrowing[what])
    const conditions = asking.map((each) =>
      attempt(each, table, () => {
        const given = each.narrowing[what]!(target)
        const isOne = given === null || typeof given?.kind === 'string'
        return requireReturn(what, 'a condition or null', given, isOne) ?? always
      }),
    )
    return allOf(conditions)
  }

  #target(table: TableModel): NarrowedTable {
    return { table, role: this.#role, model: this.#model }
  }
}

/** The change with the texts that transformations of columns store. */
function transformed(change: Change, { name: table, columns }: TableModel): Change {
  const written = [...columns.values()].filter(({ transform }) => transform?.write).map(({ name }) => name)
  if (written.length === 0 || change.kind === 'delete') return change
  return mapColumnValues(change, new Set(written), (text, column) => {
    return columns.get(column)!.transform!.write!(text, { table, column })
  })
}

/** The change in the form for distributed tables. */
function placed(change: Change, table: TableModel): Change {
  try {
    return distributedChange(change, table)
  } catch (error) {
    throw error instanceof TrellisError ? new NarrowingRefusal(error) : error
  }
}

function attempt<T>(owned: OwnedNarrowing, table: TableModel, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TrellisError) throw new NarrowingRefusal(error)
    throw failure(owned, table, messageOf(error), error)
  }
}

function failure({ narrowing, owner }: OwnedNarrowing, table: TableModel, reason: string, cause?: unknown): Error {
  const place = `table "${nameText(table.name)}"`
  return new Error(`the narrowing "${narrowing.name}" of plugin "${owner}" failed for ${place}: ${reason}`, { cause })
}
