// Untracking a list of tables in one operation.

import { nameKey, type QualifiedName, type Static, TrellisError } from '../../sdk/index.ts'
import {
  type Dependency,
  findTable,
  type ObjectRef,
  type OperationContext,
  operation,
  requireSource,
} from '../../sdk/metadata.ts'
import { releaseDependents } from './dependents.ts'
import { notTracked, tableRef } from './operations.ts'
import { type UntrackedTable, UntrackTablesArgs } from './schema.ts'
import { refuseRepeated, TablesResult, Warnings } from './warnings.ts'

/** The tables of a list that can go, after each that cannot was passed over with its reason. */
class Untracking {
  readonly warnings: Warnings
  readonly #context: OperationContext
  readonly #left = new Map<string, UntrackedTable>()
  /** The dependencies on tables of the list, by table. */
  readonly #on: ReadonlyMap<string, readonly Dependency[]>
  /** The same, by the table of the dependent; null: it is of no table. */
  readonly #by: ReadonlyMap<string | null, readonly Dependency[]>

  constructor(context: OperationContext, listed: readonly UntrackedTable[]) {
    this.#context = context
    this.warnings = new Warnings('untrack', context)
    const { metadata, dialect, model } = context
    for (const each of listed) {
      const key = nameKey(each.table)
      if (findTable(metadata, each.table) && !this.#left.has(key)) this.#left.set(key, each)
      else this.warnings.add(each.table, notTracked(each.table, dialect))
    }
    const known = model.dependencies.filter(({ on }) => this.#isLeft(on))
    this.#on = Map.groupBy(known, ({ on }) => nameKey(on.table!))
    this.#by = Map.groupBy(known, ({ object: { table } }) => (table ? nameKey(table) : null))
  }

  /** The tables that were untracked. */
  run(): readonly QualifiedName[] {
    const unchecked = [...this.#left.keys()]
    for (const key of unchecked) {
      if (!this.#passOver(key)) continue
      // A table stays with its dependents, so that others may have to stay for them.
      for (const { on } of this.#by.get(key) ?? []) unchecked.push(nameKey(on.table!))
    }
    const gone = [...this.#left.values()]
    const elsewhere = [...this.#left.keys()].flatMap((key) => this.#elsewhere(key))
    releaseDependents(elsewhere, true, this.#context)
    for (const { table } of gone) this.#context.remove(tableRef(table))
    return gone.map(({ table }) => table)
  }

  /** Passes over a table that others depend on; false: none does. */
  #passOver(key: string): boolean {
    const listed = this.#left.get(key)
    if (!listed || listed.cascade) return false
    try {
      releaseDependents(this.#elsewhere(key), false, this.#context)
      return false
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      this.warnings.add(listed.table, error)
      this.#left.delete(key)
      return true
    }
  }

  /** The dependents of a table that do not go with a table of the list. */
  #elsewhere(key: string): readonly Dependency[] {
    return (this.#on.get(key) ?? []).filter(({ object }) => !this.#isLeft(object))
  }

  #isLeft({ table }: ObjectRef): boolean {
    return table !== undefined && this.#left.has(nameKey(table))
  }
}

const untracking = {
  about: { summary: 'Removes many tables from the GraphQL schema.', result: TablesResult },
  args: UntrackTablesArgs,
  check: 'new',
  handle(context: OperationContext, { tables, allow_warnings: allow = true }: Static<typeof UntrackTablesArgs>) {
    for (const [i, { source }] of tables.entries()) {
      requireSource(context.metadata, source, ['tables', i, 'source'])
    }
    refuseRepeated(
      tables.map(({ table }) => table),
      context,
    )
    const untracking = new Untracking(context, tables)
    const gone = untracking.run()
    const { warnings } = untracking
    warnings.refuse({ allow, isInVain: gone.length === 0 })
    return warnings.answer(gone, true)
  },
} as const

export const untrackTables = operation({ ...untracking, type: 'untrack_tables' })

/** The name of the operation in later engines. */
export const pgUntrackTables = operation({
  ...untracking,
  type: 'pg_untrack_tables',
  about: { summary: 'Another name of untrack_tables.', result: TablesResult },
})
