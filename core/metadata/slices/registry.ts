// The declarations of plugins about the metadata: slices of the document and facets of a table's entry, in document
// order.

import { deepFreeze, memberOf } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
import { documentOrder } from '../document/given-document.ts'
import type { GeneratedTypes } from '../naming/type-names.ts'
import { DeclaredFacets } from './facet-format.ts'
import { givenKey, givenSlice } from './given-slice.ts'
import { sourceKey, sourceSlice } from './given-source.ts'
import type { ChangeRecorder } from './recorder.ts'
import { type ResolveOrder, resolveOrder } from './resolve-order.ts'
import type { Facet, FacetFormat, ModelCheck, ModelEffect, Slice, SliceTypes } from './slices.ts'
import type { AnySource, Source } from './sources.ts'
import { unreadableKey, unreadableSlice } from './unreadable.ts'
import { unservedKey, unservedSlice } from './unserved.ts'

/** Compares keys of documents by their order there. */
export const documentRank = (key: string): number => rankIn(documentOrder, key)

const rankIn = (order: readonly string[], key: string): number =>
  order.includes(key) ? order.indexOf(key) : order.length

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

/** Collects the declarations of plugins; refuses a key that is already declared. */
export class MetadataRegistry {
  readonly #slices = new Map<string, Slice>([
    [unreadableKey, unreadableSlice(() => this.facets)],
    [sourceKey, sourceSlice],
    [unservedKey, unservedSlice((key) => this.isDeclared(key))],
    [givenKey, givenSlice],
  ])
  readonly #facets = new Map<string, Facet>()
  readonly #effects: ModelEffect[] = []
  readonly #checks: ModelCheck[] = []
  readonly #recorders: ChangeRecorder[] = []
  readonly #sources = new Map<string, AnySource>()
  readonly #generatedTypes: GeneratedTypes[] = []
  #order: ResolveOrder | null = null
  #sortedSlices: readonly Slice[] | null = null
  #sortedFacets: readonly Facet[] | null = null
  readonly #owners = new Map<string, string>()

  /** All slices, in document order. */
  get slices(): readonly Slice[] {
    this.#sortedSlices ??= inOrder([...this.#slices.values()], documentOrder)
    return this.#sortedSlices
  }

  /** The slice of a key; undefined when no plugin declares it. */
  find(key: string): Slice | undefined {
    return this.#slices.get(key)
  }

  /** Whether a plugin declares a part of documents by this key. */
  isDeclared(key: string): boolean {
    const slice = this.#slices.get(key)
    return slice !== undefined && !slice.isInternal
  }

  /** All facets, in the order of a table's entry. */
  get facets(): readonly Facet[] {
    this.#sortedFacets ??= inOrder([...this.#facets.values()], entryOrder)
    return this.#sortedFacets
  }

  /** All facets as one format. */
  get facetFormat(): FacetFormat {
    return new DeclaredFacets(this.facets)
  }

  /** The effects that follow a change of the model, in order of registration. */
  get effects(): readonly ModelEffect[] {
    return this.#effects
  }

  /** The checks of whole models, in order of registration. */
  get checks(): readonly ModelCheck[] {
    return this.#checks
  }

  /** The recorders of stored changes, in order of registration. */
  get recorders(): readonly ChangeRecorder[] {
    return this.#recorders
  }

  /** The sources that resolving needs, by key. */
  get sources(): ReadonlyMap<string, AnySource> {
    return this.#sources
  }

  /** Names of GraphQL types that plugins generate. */
  get generatedTypes(): readonly GeneratedTypes[] {
    return this.#generatedTypes
  }

  /** The order of resolving slices; throws when the requirements of plugins contradict each other. */
  get order(): ResolveOrder {
    const { slices, facets } = this
    const kinds = { slice: 'metadata slice', facet: 'table facet' }
    this.#order ??= resolveOrder({
      slices,
      facets,
      describe: (kind, key) => `${kind} "${key}" of ${this.#owner(`${kinds[kind]} "${key}"`)}`,
    })
    return this.#order
  }

  addSource<Definition, Value>(source: Source<Definition, Value>, plugin = 'unknown'): void {
    this.#claim('metadata source', source.key, this.#sources.has(source.key), plugin)
    this.#sources.set(source.key, source as AnySource)
  }

  addGeneratedTypes(types: GeneratedTypes): void {
    this.#generatedTypes.push(types)
  }

  addEffect(effect: ModelEffect): void {
    this.#effects.push(effect)
  }

  addCheck(check: ModelCheck): void {
    this.#checks.push(check)
  }

  addRecorder(recorder: ChangeRecorder): void {
    this.#recorders.push(recorder)
  }

  addSlice<T extends SliceTypes>(slice: Slice<T>, plugin = 'unknown'): void {
    this.#claim('metadata slice', slice.key, this.#slices.has(slice.key), plugin)
    this.#slices.set(slice.key, slice)
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
    this.#order = this.#sortedSlices = this.#sortedFacets = null
  }

  #owner(id: string): string {
    const plugin = this.#owners.get(id)
    return plugin === undefined ? 'core' : `plugin "${plugin}"`
  }
}

function inOrder<T extends { readonly key: string }>(items: readonly T[], order: readonly string[]): T[] {
  return [...items].sort((a, b) => rankIn(order, a.key) - rankIn(order, b.key))
}

/** A slice's value in a document. */
export const sliceValue = (document: MetadataDocument, key: string): unknown => memberOf(document, key)

/** The entries of a slice that is a list. */
export const sliceEntries = (document: MetadataDocument, key: string): readonly unknown[] => {
  const value = sliceValue(document, key)
  return Array.isArray(value) ? value : []
}

/** Puts a slice's value into a draft. */
export function setSliceValue(draft: MetadataDocument, key: string, value: unknown): void {
  Reflect.set(draft, key, value)
}

/**
 * A document of these values, by slice key. The tables are always present, possibly empty, because core resolves them.
 */
export function documentOf(values: Iterable<readonly [key: string, value: unknown]>): MetadataDocument {
  const document: object = { tables: [], ...Object.fromEntries(values) }
  return document as MetadataDocument
}

/** A document in which every slice is empty; frozen. */
export const emptyDocument = (registry: MetadataRegistry): MetadataDocument =>
  deepFreeze(documentOf(registry.slices.map(({ key, empty }) => [key, empty])))
