// Edits of rows that are not saved yet. They stay in this tab until they are saved or discarded.

import { kept } from '../../../base/kept.ts'
import { createStore, type Store } from '../../../base/store.ts'
import { tabKeys } from '../../../base/tab.ts'
import type { TableName } from '../../../server/names.ts'

/** A row with its cells as texts. */
export type Row = Readonly<Record<string, string | null>>

/** The changes of one row. */
export interface StagedRow {
  readonly kind: 'update' | 'delete' | 'insert'
  /** The columns that identify the row; of an insert: nothing. */
  readonly key: Row
  /** The cells as they were when they were changed; of a delete: those that were shown. */
  readonly old: Row
  readonly changes: Row
  /** Somebody else changed it, or it is gone: saving did nothing. */
  readonly isConflict?: boolean
}

/** Changes by row. */
export type Staged = Readonly<Record<string, StagedRow>>

const stores = new Map<string, Store<Staged>>()

const prefix = tabKeys('rows')

function read(key: string): Staged {
  try {
    return JSON.parse(kept.get(key) ?? '{}')
  } catch {
    // Somebody else wrote it.
    return {}
  }
}

/** The staged edits of a table. */
export function stagedOf({ schema, name }: TableName): Store<Staged> {
  const key = `${prefix}${JSON.stringify([schema, name])}`
  const known = stores.get(key)
  if (known) return known
  const store = createStore(read(key))
  store.subscribe(() => {
    const staged = store.get()
    kept.set(key, Object.keys(staged).length === 0 ? null : JSON.stringify(staged))
  })
  stores.set(key, store)
  return store
}

/** A text that two rows never share. */
export const rowId = (key: Row): string => JSON.stringify(Object.values(key))

/** The object without a member. */
export const withoutKey = <T>(all: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== key))

const without: (staged: Staged, id: string) => Staged = withoutKey

/** Stages a new value of a cell; the old value again takes it back. */
export function stageCell(staged: Staged, { id, key, column, old, value }: CellChange): Staged {
  const row = staged[id] ?? { kind: 'update' as const, key, old: {}, changes: {} }
  const before = Object.hasOwn(row.old, column) ? row.old[column]! : old
  const changes = withoutKey(row.changes, column)
  if (row.kind === 'insert') {
    const next = value === undefined ? changes : { ...changes, [column]: value }
    return { ...staged, [id]: { ...row, changes: next } }
  }
  if (value === undefined || value === before) {
    return Object.keys(changes).length === 0 ? without(staged, id) : { ...staged, [id]: { ...row, changes } }
  }
  const next = {
    ...row,
    kind: 'update' as const,
    old: { ...row.old, [column]: before },
    changes: { ...changes, [column]: value },
  }
  return { ...staged, [id]: next }
}

/** A change of one cell. */
export interface CellChange {
  readonly id: string
  readonly key: Row
  readonly column: string
  readonly old: string | null
  /** Undefined: the change is taken back, or an insert takes the default. */
  readonly value: string | null | undefined
}

/** Stages that a row goes, or takes it back. */
export function stageDelete(staged: Staged, id: string, row: { readonly key: Row; readonly old: Row }): Staged {
  if (staged[id]?.kind === 'delete' || staged[id]?.kind === 'insert') return without(staged, id)
  return { ...staged, [id]: { kind: 'delete', ...row, changes: {} } }
}

let inserted = 0

/** Stages a new row. */
export function stageInsert(staged: Staged, changes: Row = {}): Staged {
  inserted += 1
  return { ...staged, [`new ${Date.now()} ${inserted}`]: { kind: 'insert', key: {}, old: {}, changes } }
}

/** Takes back all changes of a row. */
export const unstage = without
