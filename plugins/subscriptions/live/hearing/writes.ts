// What mutations write: those who read none of it need not be asked for the sake of one.

import { LRUCache } from 'lru-cache'
import type { PreparedOperation } from '../../../../sdk/graphql.ts'
import type { Database } from '../../../../sdk/sql.ts'
import { namesIn, statementOfNames } from './names.ts'

const writesSql = statementOfNames('writes.sql')

/** Names of tables, qualified and quoted where that is needed; null: any may have been written. */
export type WrittenTables = ReadonlySet<string> | null

/** Sets of names for which it is kept what they stand for. */
const mostKept = 1000

export class Writes {
  readonly #database: Pick<Database, 'rows'>
  readonly #ofMutations = new WeakMap<PreparedOperation, WrittenTables>()
  /** By the names in a mutation's statements. */
  readonly #ofNames = new LRUCache<string, Promise<WrittenTables>>({ max: mostKept })

  constructor(database: Pick<Database, 'rows'>) {
    this.#database = database
  }

  /** What a mutation may have written; it becomes known after it was asked for the first time. */
  of(mutation: PreparedOperation): WrittenTables {
    const known = this.#ofMutations.get(mutation)
    if (known !== undefined) return known
    this.#ofMutations.set(mutation, null)
    // What is not the database may have written anything there.
    if (mutation.calls === null) void this.#learn(mutation)
    return null
  }

  /** Forgets what names stand for. */
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
    // Without an answer everybody is asked.
    const tables = await asking.catch(() => null)
    if (tables) this.#ofMutations.set(mutation, tables)
  }

  async #ask(names: readonly unknown[]): Promise<WrittenTables> {
    const [row] = await this.#database.rows<{ tables: readonly string[] | null }>(writesSql, names)
    return row?.tables ? new Set(row.tables) : null
  }
}
