// Untracking a list of tables in one operation.

import { nameKey, type QualifiedName, type Static, TrellisError } from '../../sdk/index.ts'
import { dependenciesOn, findTable, type OperationContext, operation, requireSource } from '../../sdk/metadata.ts'
import { releaseDependents } from './dependents.ts'
import { notTracked, tableRef } from './operations.ts'
import { type UntrackedTable, UntrackTablesArgs } from './schema.ts'
import { TablesResult, tablesResult, type Warning, warned, warningOf } from './warnings.ts'

/** The tables of a list that can go, after each that cannot was passed over with its reason. */
class Untracking {
  readonly warnings: Warning[] = []
  readonly #context: OperationContext
  readonly #left = new Map<string, UntrackedTable>()

  constructor(context: OperationContext, listed: readonly UntrackedTable[]) {
    this.#context = context
    const { metadata, dialect } = context
    for (const each of listed) {
      const key = nameKey(each.table)
      if (findTable(metadata, each.table) && !this.#left.has(key)) this.#left.set(key, each)
      else this.warnings.push(warningOf(each.table, notTracked(each.table, dialect)))
    }
  }

  /** The tables that were untracked. A table stays with its dependents, so that others may have to stay for it. */
  run(): readonly QualifiedName[] {
    while (this.#passOver());
    const gone = [...this.#left.values()]
    releaseDependents(
      gone.flatMap(({ table }) => this.#elsewhere(table)),
      true,
      this.#context,
    )
    for (const { table } of gone) this.#context.remove(tableRef(table))
    return gone.map(({ table }) => table)
  }

  /** Passes over a table that others depend on; false if there is no such table. */
  #passOver(): boolean {
    for (const [key, { table, cascade = false }] of this.#left) {
      if (cascade) continue
      try {
        releaseDependents(this.#elsewhere(table), false, this.#context)
      } catch (error) {
        if (!(error instanceof TrellisError)) throw error
        this.warnings.push(warningOf(table, error))
        this.#left.delete(key)
        return true
      }
    }
    return false
  }

  /** The dependents of a table that do not go with a table of the list. */
  #elsewhere(table: QualifiedName) {
    return dependenciesOn(this.#context.model, table).filter(
      ({ object }) => object.table === undefined || !this.#left.has(nameKey(object.table)),
    )
  }
}

const untracking = {
  about: { summary: 'Takes many tables out of the GraphQL schema.', result: TablesResult },
  args: UntrackTablesArgs,
  check: 'new',
  handle(context: OperationContext, { tables, allow_warnings: allow = true }: Static<typeof UntrackTablesArgs>) {
    for (const [i, { source }] of tables.entries()) {
      requireSource(context.metadata, source, ['tables', i, 'source'])
    }
    const untracking = new Untracking(context, tables)
    const gone = untracking.run()
    const { warnings } = untracking
    if (warnings.length > 0 && (!allow || gone.length === 0)) throw warned(warnings)
    return tablesResult(gone, warnings)
  },
} as const

export const untrackTables = operation({ ...untracking, type: 'untrack_tables' })

/** The name of the operation in later engines. */
export const pgUntrackTables = operation({
  ...untracking,
  type: 'pg_untrack_tables',
  about: { summary: 'Another name of untrack_tables.', result: TablesResult },
})
