// Stored rows that cannot be part of the document: their plugin is not loaded, or their shape is unknown. They are kept
// unchanged, listed as inconsistent, and served once they can be read.

import { Type } from '@sinclair/typebox'
import { memberOf } from '../../json/json.ts'
import { nameText } from '../../names/names.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import { laterTableKeys } from '../document/given-document.ts'
import type { ObjectRef } from '../document/objects.ts'
import {
  type Facet,
  type FormatContext,
  findTable,
  type ObjectDescription,
  type Slice,
  type SliceContext,
} from './slices.ts'

/** An excluded row of the store, with the reason. */
export interface UnreadableRow {
  readonly slice: string
  readonly key: string
  readonly value: unknown
  readonly reason: string
}

/** The slice that holds such rows; exports omit it, and received documents cannot contain it. */
export const unreadableKey = 'unreadable'

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    unreadable: UnreadableRow[]
  }
}

const kind = 'stored metadata'

const undeclared = (key: string): string => `no loaded plugin declares "${key}"`

const describeRow = ({ slice, key, value }: UnreadableRow): ObjectDescription => ({
  ref: { kind, name: slice, detail: key },
  type: slice,
  definition: value,
})

/** Keys of a table's entry that do not belong to facets. */
const headKeys = ['table', 'is_enum', 'configuration']

/** The slice, for the facets of a registry. */
export const unreadableSlice = (facets: () => readonly Facet[]): Slice => sliceWith(new UndeclaredKeys(facets))

/** The keys of table entries that no facet has; remembered, since most generations differ in few entries. */
class UndeclaredKeys {
  readonly #facets: () => readonly Facet[]
  readonly #byEntry = new WeakMap<TableEntry, readonly string[]>()
  #known: { readonly facets: readonly Facet[]; readonly keys: ReadonlySet<string> } | null = null

  constructor(facets: () => readonly Facet[]) {
    this.#facets = facets
  }

  of(entry: TableEntry): readonly string[] {
    let keys = this.#byEntry.get(entry)
    if (!keys) {
      const known = this.#knownKeys()
      keys = Object.keys(entry).filter((key) => !known.has(key))
      this.#byEntry.set(entry, keys)
    }
    return keys
  }

  #knownKeys(): ReadonlySet<string> {
    const facets = this.#facets()
    if (this.#known?.facets !== facets) {
      this.#known = { facets, keys: new Set([...headKeys, ...facets.map(({ key }) => key)]) }
    }
    return this.#known.keys
  }
}

const sliceWith = (undeclaredKeys: UndeclaredKeys): Slice => ({
  key: unreadableKey,
  isInternal: true,
  schema: Type.Array(Type.Unknown()),
  empty: [],
  entryKey: (row) => JSON.stringify([(row as UnreadableRow).slice, (row as UnreadableRow).key]),
  resolve(rows, context) {
    for (const row of rows as readonly UnreadableRow[]) context.report(describeRow(row), row.reason)
    for (const entry of context.slice('tables')) {
      for (const key of undeclaredKeys.of(entry)) reportUndeclared(entry, key, context)
    }
  },
  remove: (draft, object) => removeRow(draft, object) || removeKey(draft, object),
})

function reportUndeclared(entry: TableEntry, key: string, context: SliceContext): void {
  const { table } = entry
  const definition = { table, [key]: memberOf(entry, key) }
  const reason = `in table "${nameText(table)}": ${undeclared(key)}`
  // Without a key that later engines have, a table is as closed as the document says.
  const isTolerated = laterTableKeys.has(key)
  context.report({ ref: { kind, table, name: key }, type: key, definition, isTolerated }, reason)
}

function removeRow(draft: MetadataDocument, { kind: of, table, name, detail }: ObjectRef): boolean {
  if (of !== kind || table) return false
  const index = draft.unreadable.findIndex((row) => row.slice === name && row.key === detail)
  if (index >= 0) draft.unreadable.splice(index, 1)
  return index >= 0
}

function removeKey(draft: MetadataDocument, { kind: of, table, name }: ObjectRef): boolean {
  if (of !== kind || !table || name === undefined) return false
  const entry = findTable(draft, table)
  if (!entry || !Object.hasOwn(entry, name)) return false
  return Reflect.deleteProperty(entry, name)
}

/**
 * The reason why a stored value cannot be used at all; null when it can. Faults further inside are found by resolving.
 * `slice` is undefined when no plugin declares it.
 */
export function unusable(key: string, slice: Slice | undefined, value: unknown, context: FormatContext): string | null {
  if (!slice || slice.key === unreadableKey) return undeclared(key)
  const shape = `it is not in the shape of "${key}"`
  try {
    if (slice.isUsable && !slice.isUsable(value, context)) return shape
    if (slice.entryKey && typeof slice.entryKey(value) !== 'string') return shape
    slice.functionsOf?.(slice.entryKey ? [value] : value)
    return null
  } catch {
    return shape
  }
}
