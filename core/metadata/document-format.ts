// Between the stored document and its wire form, which `export_metadata` produces and `replace_metadata` accepts.

import { type TSchema, Type } from '@sinclair/typebox'
import { badRequest, parseFailed, TrellisError } from '../errors.ts'
import { deepFreeze, jsonType } from '../json.ts'
import { compareNames, compareText, nameKey, nameText } from '../names.ts'
import { decode } from '../operations/decode.ts'
import { TableName } from '../operations/wire-types.ts'
import type { PathKey } from '../path.ts'
import { inTurns, mapSteps } from '../stepwise.ts'
import type { MetadataDocument, TableEntry } from './document.ts'
import { type AnySlice, facetEntries, type MetadataRegistry, setSliceValue, sliceValue } from './registry.ts'
import type { Facet } from './slices.ts'
import { configurationOf, isEmptyConfiguration, TableConfig } from './table-configuration.ts'

const TableHead = Type.Object(
  {
    table: TableName,
    is_enum: Type.Optional(Type.Boolean()),
    configuration: Type.Optional(TableConfig),
  },
  { missingKey: 'A' },
)

/** The version that exports have. */
const currentVersion = 2

type WireObject = Readonly<Record<string, unknown>>

/** Reads and writes whole documents by what the plugins declared. */
export class DocumentFormat {
  readonly #registry: MetadataRegistry
  readonly #onUnknownKey: ((key: string) => void) | null

  /** Unknown top-level keys are refused, or told to `onUnknownKey` when there is one. */
  constructor(registry: MetadataRegistry, onUnknownKey: ((key: string) => void) | null = null) {
    this.#registry = registry
    this.#onUnknownKey = onUnknownKey
  }

  /** The stored form of a wire document, format 1 or 2, frozen; throws with a path relative to the document. */
  async read(wire: unknown): Promise<MetadataDocument> {
    if (jsonType(wire) !== 'Object') {
      throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(wire)}`)
    }
    const given = wire as WireObject
    const formatVersion = readVersion(own(given, 'version'))
    this.#checkKeys(given)
    if (own(given, 'tables') === undefined) throw parseFailed('key "tables" not found')
    const document: Record<string, unknown> = {}
    for (const slice of this.#registry.slices) {
      document[slice.key] = deepFreeze(await this.#readSlice(slice, given, formatVersion))
    }
    return Object.freeze(document) as unknown as MetadataDocument
  }

  /** The shape of a wire document, with everything that plugins have declared. */
  schema(): TSchema {
    const closed = { additionalProperties: false }
    const lists = this.#registry.facets.map(({ key, schema }) => [key, Type.Optional(Type.Array(schema))])
    const table = Type.Object({ ...TableHead.properties, ...Object.fromEntries(lists) }, { ...closed, title: 'Table' })
    const slices = this.#registry.slices
      .filter(({ key, isInternal }) => key !== 'tables' && !isInternal)
      .map(({ key, schema }) => [key, Type.Optional(schema)])
    return Type.Object(
      {
        version: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(currentVersion)])),
        tables: Type.Array(table),
        ...Object.fromEntries(slices),
      },
      { ...(this.#onUnknownKey ? {} : closed), title: 'Metadata' },
    )
  }

  /** The wire form: keys in the interface's order, what is empty left out, everything sorted. */
  write(document: MetadataDocument): Record<string, unknown> {
    const wire: Record<string, unknown> = { version: currentVersion }
    for (const slice of this.#registry.slices.filter(({ isInternal }) => !isInternal)) {
      const value = sliceValue(document, slice.key)
      const written = slice.key === 'tables' ? this.#writeTables(document.tables) : writeSlice(slice, value)
      if (written !== undefined) wire[slice.key] = written
    }
    return wire
  }

  /** Why a stored value is not what the slice of that key declares; null when it is. */
  problemOf(key: string, value: unknown): string | null {
    const slice = this.#registry.find(key)
    try {
      if (key === 'tables') this.#readTable(writeTable(value as TableEntry, this.#registry.facets), [])
      else if (slice) readStored(slice, slice.entryKey ? [value] : value)
      return null
    } catch (error) {
      const detail = error instanceof TrellisError ? `: ${error.message}` : ''
      return `it is not in the shape of "${key}"${detail}`
    }
  }

  /** Refuses a document in which a name is declared twice, or whose parts do not fit together. */
  async validate(document: MetadataDocument): Promise<void> {
    await this.#refuseDuplicates(document)
    for (const slice of this.#registry.slices) {
      locate([slice.key], () => slice.validate?.(sliceValue(document, slice.key), document))
    }
  }

  async #refuseDuplicates(document: MetadataDocument): Promise<void> {
    for (const slice of this.#registry.slices) {
      if (slice.key === 'tables' || !slice.entryKey) continue
      const entries = sliceValue(document, slice.key) as readonly unknown[]
      const key = (entry: unknown) => slice.entryKey?.(entry) ?? ''
      const name = (entry: unknown) => slice.entryName?.(entry) ?? key(entry)
      refuseRepeated(entries, duplicateKind(slice.key), [slice.key], key, name)
    }
    refuseRepeated(
      document.tables,
      'tables',
      ['tables'],
      ({ table }) => nameKey(table),
      ({ table }) => nameText(table),
    )
    await inTurns(
      mapSteps(document.tables, (entry, i) => this.#refuseDuplicatesIn(entry, ['tables', i, nameText(entry.table)])),
    )
  }

  /** Empties a draft, save what slices keep. */
  clear(draft: MetadataDocument): void {
    for (const slice of this.#registry.slices) {
      const value = sliceValue(draft, slice.key)
      setSliceValue(draft, slice.key, slice.cleared ? slice.cleared(value) : slice.empty)
    }
  }

  /** Clears a draft and puts a document's content into it. */
  fill(draft: MetadataDocument, document: MetadataDocument): void {
    this.clear(draft)
    for (const { key, entryKey } of this.#registry.slices) {
      const value = sliceValue(document, key)
      const kept = entryKey ? (sliceValue(draft, key) as readonly unknown[]) : []
      setSliceValue(draft, key, kept.length > 0 ? [...kept, ...(value as readonly unknown[])] : value)
    }
  }

  /** Puts another document in the place of a draft's content. */
  overwrite(draft: MetadataDocument, document: MetadataDocument): void {
    for (const { key } of this.#registry.slices) setSliceValue(draft, key, sliceValue(document, key))
  }

  #checkKeys(given: WireObject): void {
    const known = new Set([
      'version',
      ...this.#registry.slices.filter((each) => !each.isInternal).map(({ key }) => key),
    ])
    for (const key of Object.keys(given)) {
      if (known.has(key)) continue
      if (!this.#onUnknownKey) throw parseFailed(`unexpected key "${key}"`, [key])
      this.#onUnknownKey(key)
    }
  }

  async #readSlice(slice: AnySlice, given: WireObject, formatVersion: number): Promise<unknown> {
    const value = own(given, slice.key)
    if (slice.key === 'tables') return this.#readTables(value)
    if (slice.isInternal) return slice.empty
    if (value === undefined || value === null) return slice.empty
    const decoded = decode(slice.schema, value, [slice.key])
    return locate([slice.key], () => (slice.read ? slice.read(decoded, { formatVersion }) : decoded))
  }

  #readTables(value: unknown): Promise<readonly TableEntry[]> {
    const entries = decode(Type.Array(Type.Unknown()), value, ['tables'])
    return inTurns(mapSteps(entries, (entry, i) => deepFreeze(this.#readTable(entry, ['tables', i]))))
  }

  #readTable(value: unknown, at: readonly PathKey[]): TableEntry {
    if (jsonType(value) !== 'Object') throw parseFailed('expecting an Object for TableMetadata', at)
    const given = value as WireObject
    const { facets } = this.#registry
    const known = new Set<string>([...Object.keys(TableHead.properties), ...facets.map(({ key }) => key)])
    const unknown = Object.keys(given).filter((key) => !known.has(key))
    if (unknown.length > 0) {
      throw parseFailed(`unexpected keys when parsing TableMetadata : ${JSON.stringify(unknown)}`, at)
    }
    const { table, is_enum, configuration } = decode(TableHead, value, at)
    const entry: TableEntry = { table }
    if (is_enum) entry.is_enum = true
    if (configuration && !isEmptyConfiguration(configuration)) entry.configuration = configuration
    for (const facet of facets) {
      const entries = readFacet(facet, own(given, facet.key), [...at, facet.key])
      if (entries.length > 0) Object.assign(entry, { [facet.key]: entries })
    }
    return entry
  }

  #writeTables(tables: readonly TableEntry[]): unknown[] {
    const { facets } = this.#registry
    return [...tables].sort((a, b) => compareNames(a.table, b.table)).map((entry) => writeTable(entry, facets))
  }

  #refuseDuplicatesIn(entry: TableEntry, at: readonly PathKey[]): void {
    const names = new Map<string, string[]>()
    for (const facet of this.#registry.facets) {
      const { kind } = facet.duplicates
      const given = facetEntries(entry, facet).map((each) => facet.duplicates.name(each))
      names.set(kind, [...(names.get(kind) ?? []), ...given])
    }
    for (const [kind, given] of names) refuseRepeated(given, kind, at)
  }
}

const own = (object: WireObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/** Runs `work`; an error it throws is located below `at`. */
function locate<T>(at: readonly PathKey[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...at) : error
  }
}

function readVersion(value: unknown): number {
  if (value === undefined || value === null) return 1
  if (value === 1 || value === 2) return value
  if (jsonType(value) !== 'Number') {
    throw parseFailed(`parsing Int failed, expected Number, but encountered ${jsonType(value)}`, ['version'])
  }
  throw parseFailed(`expected 1 or 2, encountered ${JSON.stringify(value)}`, ['version'])
}

const lists = new WeakMap<TSchema, TSchema>()

function readFacet(facet: Facet, value: unknown, at: readonly PathKey[]): unknown[] {
  if (value === undefined || value === null) return []
  let list = lists.get(facet.schema)
  if (!list) {
    list = Type.Array(facet.schema)
    lists.set(facet.schema, list)
  }
  const entries = decode(list, value, at) as unknown[]
  const { read } = facet
  return read ? entries.map((entry, i) => locate([...at, i], () => read(entry))) : entries
}

function writeTable(entry: TableEntry, facets: readonly Facet[]): Record<string, unknown> {
  const wire: Record<string, unknown> = { table: { schema: entry.table.schema, name: entry.table.name } }
  if (entry.is_enum) wire.is_enum = true
  const configuration = configurationOf(entry)
  if (!isEmptyConfiguration(configuration)) wire.configuration = configuration
  for (const facet of facets) {
    const entries = facetEntries(entry, facet)
    if (entries.length === 0) continue
    const sorted = [...entries].sort((a, b) => compareText(facet.identify(a), facet.identify(b)))
    wire[facet.key] = facet.write ? sorted.map((each) => facet.write?.(each)) : sorted
  }
  return wire
}

/** Reads what the slice itself has written: throws when that is not what it declares. */
function readStored(slice: AnySlice, value: unknown): void {
  const wire = writeSlice(slice, value)
  if (wire === undefined) return
  const decoded = decode(slice.schema, wire)
  slice.read?.(decoded, { formatVersion: currentVersion })
}

function writeSlice(slice: AnySlice, value: unknown): unknown {
  if (slice.write) return slice.write(value)
  const isEmpty = value === slice.empty || (Array.isArray(value) && value.length === 0)
  return isEmpty ? undefined : value
}

const itself = (name: unknown): string => name as string

const duplicateKind = (key: string): string => (key === 'allowlist' ? 'allow list' : key.replaceAll('_', ' '))

function refuseRepeated<T>(
  items: readonly T[],
  kind: string,
  path: readonly PathKey[],
  key: (item: T) => string = itself,
  text: (item: T) => string = key,
): void {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const item of items) {
    if (seen.has(key(item))) repeated.add(text(item))
    seen.add(key(item))
  }
  if (repeated.size === 0) return
  const list = [...repeated].map((name) => `"${name}"`).join(', ')
  throw badRequest('already-exists', `multiple declarations exist for the following ${kind} : ${list}`, { path })
}
