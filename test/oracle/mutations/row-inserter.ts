// Inserts rows together with related rows: first the rows that a row refers to, then the row, then the rows that refer
// to it. If one row of a list has related rows, each row of the list is inserted by its own statement.

import { datumOf } from '../request.ts'
import { type Row, relationshipOf, type Stored, uniquesOf } from '../world.ts'
import { type Context, every, presetTuple } from './context.ts'
import type { Conflict, InsertRow, NestedRows } from './mutation.ts'
import { located, Refused } from './refusal.ts'
import { type Insert, insert, type Tuple } from './statements.ts'

export interface InsertTarget {
  readonly table: string
  readonly conflict: Conflict | null
  /** The path of errors. */
  readonly path: string
}

export class RowInserter {
  readonly #context: Context
  /** The number of inserted or updated rows in all tables. */
  affected = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Inserts a list of rows, and returns those of the table itself; `determined` are values for all of them. */
  insert(rows: readonly InsertRow[], target: InsertTarget, determined: Tuple): readonly Row[] {
    if (rows.length === 0) return []
    if (rows.some(({ nested }) => nested.some(hasRows))) {
      return rows
        .map((row, i) => this.#insertTree(row, { ...target, path: `${target.path}[${i}]` }, determined))
        .filter((row) => row !== null)
    }
    return this.#insertTuples(
      rows.map((row) => this.#tuple(row, target.table, determined)),
      target,
    )
  }

  /** Inserts a row with its related rows; null when it is skipped. */
  #insertTree(row: InsertRow, target: InsertTarget, determined: Tuple): Row | null {
    const { store } = this.#context
    const nested = row.nested.filter(hasRows).map((related) => {
      return { ...related, relationship: relationshipOf(store.world, related.relationship) }
    })
    const values = new Map(determined)
    for (const { relationship, rows, conflict } of nested.filter(({ relationship }) => !relationship.after)) {
      const { name, mapping, target: table } = relationship
      const place = `${target.path}.${name}`
      const found = this.#insertTree(rows[0]!, { table, conflict, path: `${place}.data` }, new Map())
      if (!found) throw zeroRows(`object relation "${name}"`, displayTable(this.#context, table), place)
      for (const [own, theirs] of mapping) values.set(own, found[theirs] ?? null)
      store.happened('a row came along that is referred to')
    }
    const [inserted] = this.#insertTuples([this.#tuple(row, target.table, values)], target)
    const following = nested.filter(({ relationship }) => relationship.after)
    if (!inserted && following.length > 0) {
      throw zeroRows('array relations', displayTable(this.#context, target.table), target.path)
    }
    for (const { relationship, rows, conflict } of following) {
      const { name, type, mapping, target: table } = relationship
      const given = new Map(mapping.map(([own, theirs]): [string, Stored] => [theirs, inserted![own] ?? null]))
      const place = { table, conflict, path: `${target.path}.${name}.data` }
      if (type === 'object') {
        this.#insertTree(rows[0]!, place, given)
        store.happened('a row came along after the one that it is the object of')
      } else {
        this.insert(rows, place, given)
        store.happened('rows came along that refer to theirs')
      }
    }
    return inserted ?? null
  }

  /** The values of a row's columns: presets, overridden by given values, overridden by values of related rows. */
  #tuple({ values }: InsertRow, table: string, determined: Tuple): Tuple {
    const context = this.#context
    const { presets } = context.writes.insert(table)!
    if (presets.length > 0) context.store.happened('presets of an insert')
    return new Map([...presetTuple(presets), ...context.tuple(values), ...determined])
  }

  #insertTuples(tuples: readonly Tuple[], { table, conflict, path }: InsertTarget): readonly Row[] {
    const context = this.#context
    const { check } = context.writes.insert(table)!
    const updated = context.writes.update(table)?.check ?? null
    const statement: Insert = {
      table,
      tuples,
      conflict: conflict && this.#conflict(table, conflict),
      check: context.permitted(check),
      updatedCheck: updated && context.permitted(updated),
    }
    const rows = located(path, () => insert(context.store, statement))
    this.affected += rows.length
    return rows
  }

  #conflict(id: string, { constraint, columns, where }: Conflict): NonNullable<Insert['conflict']> {
    const context = this.#context
    const name = datumOf(constraint, context.run)
    const unique = uniquesOf(context.store.table(id)).find((one) => one.name === name)!
    const names = (columns ?? []).map((leaf) => datumOf(leaf, context.run))
    if (names.length === 0) return { unique, update: null }
    const { filter, presets } = context.writes.update(id)!
    const condition = every(context.there(id), context.permitted(filter), context.asked(where))
    return { unique, update: { columns: names, presets: presetTuple(presets), where: condition } }
  }
}

/** Whether a member of an input contains rows. */
const hasRows = (related: NestedRows): related is NestedRows & { readonly rows: readonly InsertRow[] } =>
  related.rows !== null && related.rows.length > 0

/** A table's name in messages. */
function displayTable({ store }: Context, id: string): string {
  const { schema, name } = store.table(id)
  return schema === 'public' ? name : `${schema}.${name}`
}

function zeroRows(what: string, table: string, path: string): Refused {
  const message = `cannot proceed to insert ${what} since insert to table "${table}" affects zero rows`
  return new Refused([{ code: 'not-supported', message, path }])
}
