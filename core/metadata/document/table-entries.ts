// The entries of tables by name. Most generations differ in a few of thousands, so the names of the others are not
// made and sorted again.

import { compareNames, nameKey } from '../../names/names.ts'
import type { TableEntry } from './document.ts'
import { listChange, withValues } from './list-change.ts'

/** Entries keyed by `nameKey` and sorted by name. */
export type TableEntries = ReadonlyMap<string, TableEntry>

const entriesByList = new WeakMap<readonly TableEntry[], TableEntries>()

/** The entries of a frozen list; `previous` is a list that differs in few of them. */
export function tableEntries(tables: readonly TableEntry[], previous: readonly TableEntry[] | null): TableEntries {
  const known = entriesByList.get(tables)
  if (known) return known
  const entries = (previous && withReplaced(tables, previous)) ?? sortedEntries(tables)
  entriesByList.set(tables, entries)
  return entries
}

/** The entries of the previous list with others of the same names in their places; null if the names differ. */
function withReplaced(tables: readonly TableEntry[], previous: readonly TableEntry[]): TableEntries | null {
  const before = entriesByList.get(previous)
  if (!before || tables.length !== previous.length) return null
  const { gone, added } = listChange(previous, tables)
  const names = new Set(gone.map(({ table }) => nameKey(table)))
  const fresh = new Map(added.map((entry) => [nameKey(entry.table), entry]))
  const isReplaced = fresh.size === names.size && [...fresh.keys()].every((key) => names.has(key))
  return isReplaced ? withValues(before, fresh) : null
}

function sortedEntries(tables: readonly TableEntry[]): TableEntries {
  const sorted = tables.toSorted((a, b) => compareNames(a.table, b.table))
  return new Map(sorted.map((entry) => [nameKey(entry.table), entry]))
}

/** The names of tables whose entries differ between two lists. */
export function editedTables(previous: readonly TableEntry[], next: readonly TableEntry[]): ReadonlySet<string> {
  const { gone, added } = listChange(previous, next)
  return new Set([...gone, ...added].map(({ table }) => nameKey(table)))
}
