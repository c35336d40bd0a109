// Foreign keys after a statement: PostgreSQL's triggers run in the order of the changed rows, and append their own
// changes to the queue.

import { sameStored } from '../aggregates.ts'
import { conflicting, ownViolation, type Violation, withGenerated } from '../constraints.ts'
import { Undetermined } from '../rows.ts'
import { columnTypes } from '../types.ts'
import { columnOf, type ForeignKey, type Row, type Stored, type Table, uniquesOf } from '../world.ts'
import { Refused } from './refusal.ts'
import type { Store } from './store.ts'

/** A row that a statement wrote or deleted. */
export interface RowChange {
  readonly table: string
  readonly before: Row | null
  readonly after: Row | null
}

/** Runs the actions and checks of foreign keys; `isReversed` processes the rows that they find in reverse order. */
export function enforceForeignKeys(store: Store, changes: readonly RowChange[], isReversed: boolean): void {
  new Enforcement(store, isReversed).run(changes)
}

class Enforcement {
  readonly #store: Store
  readonly #isReversed: boolean
  readonly #queue: (() => void)[] = []

  constructor(store: Store, isReversed: boolean) {
    this.#store = store
    this.#isReversed = isReversed
  }

  run(changes: readonly RowChange[]): void {
    this.#add(changes)
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next()
  }

  #add(changes: readonly RowChange[]): void {
    for (const change of changes) {
      if (change.before) this.#addActions(change, change.before)
      if (change.after) this.#addChecks(change, change.after)
    }
  }

  /** Queues the actions on the rows that refer to a row. */
  #addActions({ table, after }: RowChange, before: Row): void {
    for (const referring of this.#store.world.tables) {
      for (const key of referring.foreignKeys.filter((other) => other.table === table)) {
        const old = before[key.target] ?? null
        if (old === null || (after && this.#isIdentical(old, after[key.target] ?? null, key.target))) continue
        const action = after ? key.onUpdate : key.onDelete
        const act = () => this.#act(key, referring.id, { old, after })
        if (key.isDeferred && action === 'no action') this.#store.defer(act)
        else this.#queue.push(act)
      }
    }
  }

  /** Whether two values are identical, not only equal. */
  #isIdentical(a: Stored, b: Stored, column: string): boolean {
    const { text } = columnTypes[columnOf(this.#store.world, column).type]
    return a === null || b === null ? a === b : text(a.datum) === text(b.datum)
  }

  #act(key: ForeignKey, referring: string, { old, after }: { readonly old: Stored; readonly after: Row | null }): void {
    const found = this.#store.table(referring).rows.filter((row) => this.#isSame(row[key.column] ?? null, old, key))
    const rows = this.#isReversed ? found.toReversed() : found
    const action = after ? key.onUpdate : key.onDelete
    if (action === 'no action') {
      if (rows.length === 0 || this.#hasTarget(key, old)) return
      const [target, table] = [this.#store.table(key.table).name, this.#store.table(referring).name]
      const message = `update or delete on table "${target}" violates foreign key constraint "${key.name}" on table "${table}"`
      throw new Refused([foreignKeyViolation(message)])
    }
    if (rows.length > 0) this.#store.happened(`on ${after ? 'update' : 'delete'} ${action}`)
    if (action === 'cascade' && !after) {
      for (const row of rows) this.#store.remove(referring, row)
      this.#add(rows.map((row) => ({ table: referring, before: row, after: null })))
      return
    }
    const value = action === 'cascade' ? (after![key.target] ?? null) : null
    this.#rewrite(referring, rows, key.column, value)
  }

  #rewrite(id: string, rows: readonly Row[], column: string, value: Stored): void {
    const table = this.#store.table(id)
    const changes = rows.map((before) => {
      return { table: id, before, after: withGenerated({ ...before, [column]: value }, table) }
    })
    for (const { after } of changes) refuseOwn(after, table)
    for (const { before, after } of changes) this.#store.replace(id, before, after)
    if (hasDuplicates(this.#store.table(id))) throw new Undetermined('a foreign key makes duplicates')
    this.#add(changes)
  }

  /** Queues the checks that the targets of a row exist. */
  #addChecks({ table, before }: RowChange, after: Row): void {
    for (const key of this.#store.table(table).foreignKeys) {
      const value = after[key.column] ?? null
      if (value === null) continue
      // A row that this transaction wrote earlier may still need the check of its last version.
      if (!key.isDeferred && before && this.#isSame(before[key.column] ?? null, value, key)) continue
      const check = () => {
        // The row may have been changed again or deleted.
        if (!this.#store.table(table).rows.includes(after) || this.#hasTarget(key, value)) return
        const message = `insert or update on table "${this.#store.table(table).name}" violates foreign key constraint "${key.name}"`
        throw new Refused([foreignKeyViolation(message)])
      }
      if (key.isDeferred) this.#store.defer(check)
      else this.#queue.push(check)
    }
  }

  #hasTarget(key: ForeignKey, value: Stored): boolean {
    return this.#store.table(key.table).rows.some((row) => this.#isSame(row[key.target] ?? null, value, key))
  }

  #isSame(a: Stored, b: Stored, { target }: ForeignKey): boolean {
    return a !== null && b !== null && sameStored(a, b, columnOf(this.#store.world, target).type)
  }
}

const foreignKeyViolation = (message: string): Violation => ({
  code: 'constraint-violation',
  message: `Foreign key violation. ${message}`,
})

/** Refuses a row that violates constraints by itself. */
export function refuseOwn(row: Row, table: Table): void {
  const violation = ownViolation(row, table)
  if (violation) throw new Refused([violation])
}

const hasDuplicates = (table: Table): boolean =>
  uniquesOf(table).some((unique) => table.rows.some((row) => conflicting(unique, row, table.rows, table)))
