// Reads tables of the database for one request. A bulk names hundreds of them one after another: they are read together
// when the first is asked for.

import { introspect } from '../../catalog/introspect.ts'
import type { CatalogTable } from '../../catalog/types.ts'
import type { Transaction } from '../../database/transaction.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'

/** A request that keeps changing the database in between is read table by table from then on. */
const mostBatches = 4

/** PostgreSQL has no text with NUL, and refuses to be asked for it. */
export const canExist = ({ schema, name }: QualifiedName): boolean => !`${schema}${name}`.includes('\u0000')

export class TableReader {
  readonly #transaction: Transaction
  /** Tables that will be asked for, by key. */
  #expected: ReadonlyMap<string, QualifiedName> = new Map()
  /** What was read before it was asked for; null where there is no such table. */
  readonly #ahead = new Map<string, CatalogTable | null>()
  #batches = 0

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Says which tables will be asked for, as far as the request tells. */
  expect(names: readonly QualifiedName[]): void {
    this.#expected = new Map(names.map((name) => [nameKey(name), name]))
  }

  /** The transaction for those who may change the database with it: what was read ahead counts no more afterwards. */
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
      script: (text) => change(inner.script(text)),
    }
  }

  forget(): void {
    this.#ahead.clear()
  }

  /** The tables of the given names, as many as exist. */
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
