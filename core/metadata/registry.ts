// What plugins declared about the metadata: slices of the document and facets of a table's entry, in the order of the
// document. The slice `tables` is core's own; plugins extend its entries with facets.

import { type TSchema, Type } from '@sinclair/typebox'
import { deepFreeze } from '../json/json.ts'
import type { QualifiedName } from '../names/names.ts'
import type { MetadataDocument, TableEntry } from './document.ts'
import type { AnySlice, Facet, ModelEffect, Slice } from './slices.ts'
import { unreadableKey, unreadableSlice } from './unreadable.ts'

export type { AnySlice } from './slices.ts'

/** Key of a table's entry in the list and in the store. */
export const tableEntryKey = ({ schema, name }: QualifiedName): string => JSON.stringify([schema, name])

/** Stored as it is; reading, writing and resolving it is core's. */
const tablesSlice: AnySlice = {
  key: 'tables',
  schema: Type.Array(Type.Unknown()),
  empty: [],
  entryKey: (entry) => tableEntryKey((entry as TableEntry).table),
}

/** The order of the interface's document; what it does not know follows as registered. */
const documentOrder = [
  'tables',
  'functions',
  'remote_schemas',
  'query_collections',
  'allowlist',
  'actions',
  'custom_types',
  'cron_triggers',
]

const entryOrder = [
  'object_relationships',
  'array_relationships',
  'computed_fields',
  'remote_relationships',
  'insert_permissions',
  'select_permissions',
  'update_permissions',
  'delete_permissions',
  'event_triggers',
]

const entryKeysOfCore = new Set(['table', 'is_enum', 'configuration'])

/** Collects what plugins declare; the second to claim a key is refused. */
export class MetadataRegistry {
  readonly #slices = new Map<string, AnySlice>([
    ['tables', tablesSlice],
    [unreadableKey, unreadableSlice(() => this.facets)],
  ])
  readonly #facets = new Map<string, Facet>()
  readonly #effects: ModelEffect[] = []
  readonly #owners = new Map<string, string>()

  /** All slices, `tables` included, in document order. */
  get slices(): readonly AnySlice[] {
    return inOrder([...this.#slices.values()], documentOrder)
  }

  /** The slice of a key; undefined when nobody declares it. */
  find(key: string): AnySlice | undefined {
    return this.#slices.get(key)
  }

  /** All facets, in the order of a table's entry. */
  get facets(): readonly Facet[] {
    return inOrder([...this.#facets.values()], entryOrder)
  }

  /** What has to follow a change of the model, in the order of registration. */
  get effects(): readonly ModelEffect[] {
    return this.#effects
  }

  addEffect(effect: ModelEffect): void {
    this.#effects.push(effect)
  }

  addSlice<K extends keyof MetadataDocument, S extends TSchema>(slice: Slice<K, S>, plugin = 'unknown'): void {
    this.#claim('metadata slice', slice.key, this.#slices.has(slice.key), plugin)
    this.#slices.set(slice.key, slice as unknown as AnySlice)
  }

  addFacet<Entry, Resolved>(facet: Facet<Entry, Resolved>, plugin = 'unknown'): void {
    const taken = this.#facets.has(facet.key) || entryKeysOfCore.has(facet.key)
    this.#claim('table facet', facet.key, taken, plugin)
    this.#facets.set(facet.key, facet as Facet)
  }

  #claim(kind: string, key: string, taken: boolean, plugin: string): void {
    const id = `${kind} "${key}"`
    if (taken) throw new Error(`${id} of plugin "${plugin}" is already declared by ${this.#owner(id)}`)
    this.#owners.set(id, plugin)
  }

  #owner(id: string): string {
    const plugin = this.#owners.get(id)
    return plugin === undefined ? 'core' : `plugin "${plugin}"`
  }
}

function inOrder<T extends { readonly key: string }>(items: readonly T[], order: readonly string[]): T[] {
  const rank = ({ key }: T) => (order.includes(key) ? order.indexOf(key) : order.length)
  return [...items].sort((a, b) => rank(a) - rank(b))
}

/** The entries of a facet in a table's entry. */
export const facetEntries = (entry: TableEntry, facet: Facet): readonly unknown[] =>
  ((entry as unknown as Record<string, unknown>)[facet.key] as readonly unknown[] | undefined) ?? []

/** A slice's value in a document. */
export const sliceValue = (document: MetadataDocument, key: string): unknown =>
  (document as unknown as Record<string, unknown>)[key]

/** Puts a slice's value into a draft. */
export function setSliceValue(draft: MetadataDocument, key: string, value: unknown): void {
  ;(draft as unknown as Record<string, unknown>)[key] = value
}

/** A document in which every slice is empty; frozen. */
export function emptyDocument(registry: MetadataRegistry): MetadataDocument {
  const slices = registry.slices.map(({ key, empty }) => [key, empty])
  return deepFreeze(Object.fromEntries(slices) as unknown as MetadataDocument)
}
