// The rows of a world while statements change them.

import { type Row, type Table, tableOf, type World } from '../world.ts'

export class Store {
  #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** The world as it is now; later changes leave it as it is. */
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

  /** Puts another world's rows in the place of those here. */
  reset(world: World): void {
    this.#world = world
  }

  #change(id: string, change: (rows: readonly Row[]) => readonly Row[]): void {
    const tables = this.#world.tables.map((table) => (table.id === id ? { ...table, rows: change(table.rows) } : table))
    this.#world = { ...this.#world, tables }
  }
}
