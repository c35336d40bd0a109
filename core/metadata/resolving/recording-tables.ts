// A model that records which tables are read, for results that hold as long as these stay the same.

import type { Model, TableModel } from '../document/model.ts'
import { shareNames } from '../naming/root-field-index.ts'

/** Tables that record the keys that are looked up. */
class RecordingTables implements ReadonlyMap<string, TableModel> {
  readonly read = new Map<string, TableModel | undefined>()
  readonly #tables: Model['tables']

  constructor(tables: Model['tables']) {
    this.#tables = tables
  }

  get size(): number {
    return this.#tables.size
  }

  get(key: string): TableModel | undefined {
    const table = this.#tables.get(key)
    this.read.set(key, table)
    return table
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  forEach(run: (table: TableModel, key: string, map: ReadonlyMap<string, TableModel>) => void): void {
    for (const [key, table] of this) run(table, key, this)
  }

  *entries(): MapIterator<[string, TableModel]> {
    for (const [key, table] of this.#tables) {
      this.read.set(key, table)
      yield [key, table]
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this) yield key
  }

  *values(): MapIterator<TableModel> {
    for (const [, table] of this) yield table
  }

  [Symbol.iterator](): MapIterator<[string, TableModel]> {
    return this.entries()
  }
}

/** The same model, and the tables that are looked up in it. */
export function recordingTables(model: Model): {
  readonly model: Model
  readonly tables: ReadonlyMap<string, TableModel | undefined>
} {
  const tables = new RecordingTables(model.tables)
  shareNames(tables, model.tables)
  return { model: Object.create(model, { tables: { value: tables, enumerable: true } }), tables: tables.read }
}
