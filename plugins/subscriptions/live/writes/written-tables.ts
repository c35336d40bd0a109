// The tables that mutations write: groups that read none of them are not asked after a mutation.

import { LRUCache } from 'lru-cache'
import type { PreparedOperation } from '../../../../sdk/graphql.ts'
import type { Database } from '../../../../sdk/sql.ts'
import { keptNameSets } from '../../tuning.ts'
import { namesIn, statementOfNames } from './names.ts'

const writesSql = statementOfNames('written-tables.sql')

/** Qualified table names, quoted where needed; null: any table may have been written. */
export type WrittenTables = ReadonlySet<string> | null

export class Writes {
  readonly #database: Pick<Database, 'rows'>
  readonly #ofMutations = new WeakMap<PreparedOperation, WrittenTables>()
  /** By the names in a mutation's statements. */
  readonly #ofNames = new LRUCache<string, Promise<WrittenTables>>({ max: keptNameSets })

  constructor(database: Pick<Database, 'rows'>) {
    this.#database = database
  }

  /** The tables that a mutation may have written; null until the lookup after its first call has ended. */
  of(mutation: PreparedOperation): WrittenTables {
    const known = this.#ofMutations.get(mutation)
    if (known !== undefined) return known
    this.#ofMutations.set(mutation, null)
    // Calls outside the database may have written any table.
    if (mutation.calls === null) void this.#learn(mutation)
    return null
  }

  /** Forgets the looked-up names. */
  clear(): void {
    this.#ofNames.clear()
  }

  async #learn(mutation: PreparedOperation): Promise<void> {
    const names = namesIn(mutation.statements.map(({ text }) => text).join('\n'))
    const key = JSON.stringify(names)
    let asking = this.#ofNames.get(key)
    if (!asking) {
      asking = this.#ask(names)
      this.#ofNames.set(key, asking)
    }
    // After a failed lookup the tables stay unknown, so all groups are asked.
    const tables = await asking.catch(() => null)
    if (tables) this.#ofMutations.set(mutation, tables)
  }

  async #ask(names: readonly unknown[]): Promise<WrittenTables> {
    const [row] = await this.#database.rows<{ tables: readonly string[] | null }>(writesSql, names)
    return row?.tables ? new Set(row.tables) : null
  }
}
