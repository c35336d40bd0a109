// The members of facets in a table's entry: reading, writing, checking and renaming them in documents.

import { type TArray, type TSchema, Type } from '@sinclair/typebox'
import { atOnce } from '../../concurrency/stepwise.ts'
import { badRequest, TrellisError } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { isJsonObject, jsonType, memberOf, saysNothing } from '../../json/json.ts'
import { compareText } from '../../names/names.ts'
import { decode, type UnknownKeys } from '../../wire/decode.ts'
import type { TableEntry } from '../document/document.ts'
import { laterTableKeys, own, type WireObject } from '../document/given-document.ts'
import type { Rename } from '../document/objects.ts'
import type { Faults } from './faults.ts'
import { defaultSource } from './given-source.ts'
import type { Facet, FacetFormat, RenamePlace } from './slices.ts'

/** The entries of a facet within a table's entry. */
export const facetEntries = (entry: TableEntry, facet: Facet): readonly unknown[] => {
  const value = memberOf(entry, facet.key)
  if (facet.isSingle) return isJsonObject(value) ? [value] : []
  return Array.isArray(value) ? value : []
}

/** The value of a facet's key that holds these entries. */
const memberWith = (entries: readonly unknown[], { isSingle }: Facet): unknown => (isSingle ? entries[0] : entries)

/** How the members of facets are read and written. */
interface FacetForms {
  readonly unknownKeys?: UnknownKeys
  /** Collects faults of reading; null: the first one is thrown. */
  readonly faults?: Faults | null
  readonly formatVersion?: number
  /** The name of the source. */
  readonly source?: string
}

/** The given facets combined into one format. */
export class DeclaredFacets implements FacetFormat {
  readonly #facets: readonly Facet[]
  readonly #unknownKeys: UnknownKeys
  readonly #faults: Faults | null
  readonly #formatVersion: number
  readonly #source: string

  constructor(
    facets: readonly Facet[],
    { unknownKeys = 'passed over', faults = null, formatVersion = 2, source = defaultSource }: FacetForms = {},
  ) {
    this.#formatVersion = formatVersion
    this.#facets = facets
    this.#unknownKeys = unknownKeys
    this.#faults = faults
    this.#source = source
  }

  shapes(): Record<string, TSchema> {
    const own = this.#facets.map(({ key, schema, isSingle }) => {
      return [key, Type.Optional(isSingle ? schema : Type.Array(schema))]
    })
    return Object.fromEntries([...own, ...laterShapes(laterTableKeys, this.#facets)])
  }

  unexpectedKeys(given: WireObject, ownKeys: Iterable<string>): string[] {
    const known = new Set<string>([...ownKeys, ...this.#facets.map(({ key }) => key)])
    return Object.keys(given).filter((key) => !known.has(key) && !laterTableKeys.has(key))
  }

  read(given: WireObject): Partial<TableEntry> {
    const read = this.#facets.flatMap((facet) => {
      const entries = this.#entries(facet, own(given, facet.key))
      return entries.length > 0 ? [[facet.key, memberWith(entries, facet)]] : []
    })
    const unserved = this.#undeclared(given).filter(([, value]) => !saysNothing(value))
    return Object.fromEntries([...read, ...unserved])
  }

  /** Keys of later engines that no facet has: they are kept, and listed as inconsistent. */
  #undeclared(entry: object): [key: string, value: unknown][] {
    const isUndeclared = (key: string) => laterTableKeys.has(key) && !this.#facets.some((facet) => facet.key === key)
    return Object.entries(entry).filter(([key]) => isUndeclared(key))
  }

  #entries(facet: Facet, value: unknown): unknown[] {
    const { key, schema, read } = facet
    if (value === undefined || value === null) return []
    if (facet.isSingle) return this.#single(facet, value)
    let list = lists.get(schema)
    if (!list) {
      list = Type.Array(schema)
      lists.set(schema, list)
    }
    const [faults, context] = [this.#faults, { source: this.#source }]
    if (!faults) {
      const entries = decode(list, value, [key], this.#unknownKeys) as unknown[]
      return read ? entries.map((entry, i) => locate([key, i], () => read(entry, context))) : entries
    }
    const entries = atOnce(faults.decodeList(list, value, [key], this.#unknownKeys))
    return entries
      .map((entry, i) => (read && entry !== undefined ? faults.at(key, i).attempt(() => read(entry, context)) : entry))
      .filter((entry) => entry !== undefined)
  }

  #single({ key, schema, read }: Facet, value: unknown): unknown[] {
    const [faults, context] = [this.#faults, { source: this.#source }]
    const take = (entry: unknown) => (read ? read(entry, context) : entry)
    if (!faults) return [locate([key], () => take(decode(schema, value, [], this.#unknownKeys)))]
    const decoded = faults.decode(schema, value, [key], this.#unknownKeys)
    const entry = decoded === undefined ? undefined : faults.at(key).attempt(() => take(decoded))
    return entry === undefined ? [] : [entry]
  }

  write(entry: TableEntry): Record<string, unknown> {
    const wire: Record<string, unknown> = {}
    const context = { formatVersion: this.#formatVersion, source: this.#source }
    for (const facet of this.#facets) {
      const entries = facetEntries(entry, facet)
      if (entries.length === 0) continue
      const sorted = [...entries].sort((a, b) => compareText(facet.identify(a), facet.identify(b)))
      const written = facet.write ? sorted.map((each) => facet.write?.(each, context)) : sorted
      wire[facet.key] = memberWith(written, facet)
    }
    return { ...wire, ...Object.fromEntries(this.#undeclared(entry)) }
  }

  validate(entry: TableEntry): void {
    const names = new Map<string, { given: string[]; laterKind: string }>()
    for (const facet of this.#facets) {
      const { key, duplicates } = facet
      const { kind } = duplicates
      const own = facetEntries(entry, facet).map((each) => duplicates.name(each))
      const { given, laterKind } = names.get(kind) ?? { given: [], laterKind: kind }
      const isRepeated = new Set(own).size < own.length
      names.set(kind, { given: [...given, ...own], laterKind: isRepeated ? key.replaceAll('_', ' ') : laterKind })
    }
    for (const [kind, { given, laterKind }] of names) refuseRepeated(given, { kind, path: [], laterKind })
  }

  validateAll(entries: readonly TableEntry[]): void {
    for (const facet of this.#facets) {
      const { kind, isGlobal = false, name } = facet.duplicates
      if (!isGlobal) continue
      const names = entries.flatMap((entry) => facetEntries(entry, facet).map((each) => name(each)))
      refuseRepeated(names, { kind, path: [] })
    }
  }

  areUsable(value: WireObject): boolean {
    return this.#facets.every((facet) => {
      const given = value[facet.key]
      const entries = facet.isSingle ? [given] : given
      return given === undefined || (Array.isArray(entries) && entries.every((entry) => isEntry(entry, facet)))
    })
  }

  rename(entry: TableEntry, rename: Rename, place: Pick<RenamePlace, 'lookup'>): Partial<TableEntry> {
    const inside: RenamePlace = { ...place, table: entry.table }
    const members = this.#facets.flatMap((facet) => {
      const entries = facetEntries(entry, facet)
      if (!facet.rename || entries.length === 0) return []
      const renamed = entries.map((each) => facet.rename?.(each, rename, inside))
      return [[facet.key, memberWith(renamed, facet)]]
    })
    return Object.fromEntries(members)
  }
}

/** Keys of documents of later engines, in addition to the declared ones. */
export const laterShapes = (
  keys: ReadonlySet<string>,
  known: readonly { readonly key: string }[],
): [key: string, shape: TSchema][] =>
  [...keys]
    .filter((key) => !known.some((each) => each.key === key))
    .map((key) => [
      key,
      Type.Optional(Type.Unknown({ description: 'Kept, and listed as inconsistent unless it is empty.' })),
    ])

/** Runs `work`; prefixes the path of an error with `at`. */
export function locate<T>(at: readonly PathKey[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...at) : error
  }
}

const lists = new WeakMap<TSchema, TArray>()

function isEntry(entry: unknown, facet: Facet): boolean {
  if (jsonType(entry) !== 'Object' || typeof facet.identify(entry) !== 'string') return false
  facet.functionsOf?.(entry)
  return true
}

const itself = (name: unknown): string => name as string

interface Repeated<T> {
  readonly kind: string
  readonly path: readonly PathKey[]
  /** The words for the items in interface 2, which finds them when it reads what holds the list; absent: no other words. */
  readonly laterKind?: string
  key?(item: T): string
  text?(item: T): string
}

/** Refuses a list with two items of the same key. Without `key` and `text`, the items must be strings. */
export function refuseRepeated<T>(
  items: readonly T[],
  { kind, path, key = itself, text = key, laterKind }: Repeated<T>,
): void {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const item of items) {
    if (seen.has(key(item))) repeated.add(text(item))
    seen.add(key(item))
  }
  if (repeated.size === 0) return
  const list = [...repeated].map((name) => `"${name}"`).join(', ')
  const message = `multiple declarations exist for the following ${kind} : ${list}`
  const later = `multiple declarations exist for the following ${laterKind}: ${[...repeated].join(', ')}`
  const inInterface2 = { message: later, code: 'parse-failed', levelsAbove: 1 } as const
  throw badRequest('already-exists', message, { path, ...(laterKind !== undefined && { inInterface2 }) })
}
