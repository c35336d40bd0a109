// Reads database tables for one request. A bulk may name hundreds of tables one after another; the first read fetches
// all of them together.

import { introspect } from '../../catalog/introspect.ts'
import type { CatalogTable } from '../../catalog/types.ts'
import type { Transaction } from '../../database/transaction.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import { mostBatches } from '../tuning.ts'

/** PostgreSQL text cannot contain NUL, and such a parameter is an error. */
export const canExist = ({ schema, name }: QualifiedName): boolean => !`${schema}${name}`.includes('\u0000')

export class TableReader {
  readonly #transaction: Transaction
  /** Tables that will be read, by key. */
  #expected: ReadonlyMap<string, QualifiedName> = new Map()
  /** Tables that were prefetched; null where no such table exists. */
  readonly #ahead = new Map<string, CatalogTable | null>()
  #batches = 0

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Announces the tables that the request will read, as far as they are known. */
  expect(names: readonly QualifiedName[]): void {
    this.#expected = new Map(names.map((name) => [nameKey(name), name]))
  }

  /** The transaction for callers that may change the database; it discards the prefetched tables. */
  get changing(): Transaction {
    const inner = this.#transaction
    const change = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } finally {
        this.forget()
      }
    }
    return {
      rows: (text, values) => change(inner.rows(text, values)),
      bytes: (statement, values) => change(inner.bytes(statement, values)),
      texts: (statement, values) => change(inner.texts(statement, values)),
      script: (text, most) => change(inner.script(text, most)),
    }
  }

  forget(): void {
    this.#ahead.clear()
  }

  /** The tables of these names that exist. */
  async read(names: readonly QualifiedName[]): Promise<CatalogTable[]> {
    const missing = names.filter((name) => !this.#ahead.has(nameKey(name)))
    const isExpected = this.#batches < mostBatches && missing.some((name) => this.#expected.has(nameKey(name)))
    if (!isExpected) {
      const known = names.map((name) => this.#ahead.get(nameKey(name)) ?? null).filter((table) => table !== null)
      return [...known, ...(await introspect(this.#transaction, missing.filter(canExist)))]
    }
    this.#batches++
    await this.#readAhead(missing)
    return this.read(names)
  }

  async #readAhead(missing: readonly QualifiedName[]): Promise<void> {
    const wanted = new Map([...missing.map((name) => [nameKey(name), name] as const), ...this.#expected])
    const tables = await introspect(this.#transaction, [...wanted.values()].filter(canExist))
    for (const key of wanted.keys()) this.#ahead.set(key, null)
    for (const table of tables) this.#ahead.set(nameKey(table), table)
  }
}
