// The rows of a world during statements.

import type { Coverage } from '../coverage.ts'
import { type Row, type Table, tableOf, type World, withViews } from '../world.ts'

export class Store {
  #world: World
  /** Checks to run at the end of the transaction. */
  #deferred: readonly (() => void)[] = []
  readonly #coverage: Coverage | undefined

  constructor(world: World, coverage?: Coverage) {
    this.#world = world
    this.#coverage = coverage
  }

  /** Counts an event on the rows. */
  happened(event: string): void {
    this.#coverage?.happened(event)
  }

  /** The current world; later changes do not affect the returned object. */
  get world(): World {
    return this.#world
  }

  table(id: string): Table {
    return tableOf(this.#world, id)
  }

  add(table: string, row: Row): void {
    this.#change(table, (rows) => [...rows, row])
  }

  replace(table: string, before: Row, after: Row): void {
    this.#change(table, (rows) => rows.map((row) => (row === before ? after : row)))
  }

  remove(table: string, row: Row): void {
    this.#change(table, (rows) => rows.filter((other) => other !== row))
  }

  /** The next value of a column's sequence. */
  next(column: string): bigint {
    const value = (this.#world.sequences[column] ?? 0n) + 1n
    this.#world = { ...this.#world, sequences: { ...this.#world.sequences, [column]: value } }
    return value
  }

  /** Defers a check to the end of the transaction. */
  defer(check: () => void): void {
    this.#deferred = [...this.#deferred, check]
  }

  get deferred(): readonly (() => void)[] {
    return this.#deferred
  }

  /** Restores an earlier state. */
  reset({ world, deferred }: Pick<Store, 'world' | 'deferred'>): void {
    this.#world = world
    this.#deferred = deferred
  }

  #change(id: string, change: (rows: readonly Row[]) => readonly Row[]): void {
    const tables = this.#world.tables.map((table) => (table.id === id ? { ...table, rows: change(table.rows) } : table))
    this.#world = withViews({ ...this.#world, tables })
  }
}
