// Between the stored document and its wire form, which `export_metadata` produces and `replace_metadata` accepts.

import { type TSchema, Type } from '@sinclair/typebox'
import { inTurns, mapSteps } from '../concurrency/stepwise.ts'
import { badRequest, parseFailed, TrellisError, toTrellisError } from '../errors/errors.ts'
import type { PathKey } from '../errors/path.ts'
import { deepFreeze, jsonType } from '../json/json.ts'
import type { Dialect } from '../names/dialect.ts'
import { compareNames, compareText, nameKey, nameText } from '../names/names.ts'
import { decode } from '../wire/decode.ts'
import { DocumentTableName, ObjectName } from '../wire/types.ts'
import type { MetadataDocument, TableEntry } from './document.ts'
import {
  type GivenDocument,
  laterKeys,
  laterTableKeys,
  openDocument,
  own,
  saysNothing,
  unexpectedKey,
  type WireObject,
} from './given-document.ts'
import { type AnySlice, facetEntries, type MetadataRegistry, setSliceValue, sliceValue } from './registry.ts'
import type { Facet } from './slices.ts'
import { configurationOf, DocumentTableConfig, isEmptyConfiguration } from './table-configuration.ts'

const TableHead = Type.Object(
  {
    table: DocumentTableName,
    is_enum: Type.Optional(Type.Boolean()),
    configuration: Type.Optional(DocumentTableConfig),
  },
  { missingKey: 'A' },
)

/** The version that exports have. */
const currentVersion = 2

/** What a document says that is passed over, for the log. */
export type OnPassedOver = (message: string, detail: Readonly<Record<string, string>>) => void

/** A document that was given, in its stored form. */
export interface ReadDocument {
  readonly content: MetadataDocument
  /** Where a slice stands in what was given. */
  place(key: string): readonly PathKey[]
}

/** Reads and writes whole documents by what the plugins declared. */
export class DocumentFormat {
  readonly #registry: MetadataRegistry
  readonly #dialect: Dialect
  readonly #onPassedOver: OnPassedOver

  constructor(registry: MetadataRegistry, dialect: Dialect, onPassedOver: OnPassedOver) {
    this.#registry = registry
    this.#dialect = dialect
    this.#onPassedOver = onPassedOver
  }

  /** The stored form of a wire document of any format, frozen; what it throws is located below `at`. */
  async read(wire: unknown, at: readonly PathKey[] = []): Promise<ReadDocument> {
    try {
      const given = openDocument(wire, this.#dialect.namingConvention)
      const content = await this.#readParts(given)
      return { content, place: (key) => [...at, ...given.place(key)] }
    } catch (error) {
      throw toTrellisError(error).at(...at)
    }
  }

  async #readParts(given: GivenDocument): Promise<MetadataDocument> {
    this.#checkKeys(given.parts)
    if (own(given.parts, 'tables') === undefined) throw parseFailed('key "tables" not found')
    const document: Record<string, unknown> = {}
    for (const slice of this.#registry.slices) {
      document[slice.key] = deepFreeze(await this.#readSlice(slice, given))
    }
    const { source } = given
    if (source?.isConfigured) {
      this.#onPassedOver('the connection of a source is ignored: the server has its own', { source: source.name })
    }
    return Object.freeze(document) as unknown as MetadataDocument
  }

  /** The shape of the documents that are written, with everything that plugins have declared. */
  schema(): TSchema {
    const { tables, slices, options } = this.#shapes()
    const version = Type.Optional(Type.Union([Type.Literal(1), Type.Literal(currentVersion)]))
    return Type.Object({ version, tables, ...slices }, { ...options, title: 'Metadata' })
  }

  /** The shape of the documents that are read: those that are written, and those of format 3. */
  givenSchema(): TSchema {
    const { tables, slices, options } = this.#shapes()
    const { functions, ...others } = slices
    const source = Type.Object({
      name: ObjectName,
      kind: Type.Optional(Type.Union([Type.Literal('postgres'), Type.Literal('pg')])),
      tables: Type.Optional(tables),
      ...(functions && { functions }),
    })
    const sources = Type.Array(source, { maxItems: 1 })
    const current = Type.Object({ version: Type.Literal(3), sources, ...others }, { ...options, title: 'MetadataV3' })
    return Type.Union([this.schema(), current])
  }

  #shapes() {
    const closed = { additionalProperties: false }
    const { facets, slices } = this.#registry
    const lists = facets.map(({ key, schema }) => [key, Type.Optional(Type.Array(schema))])
    const later = (keys: ReadonlySet<string>, known: readonly { readonly key: string }[]) =>
      [...keys]
        .filter((key) => !known.some((each) => each.key === key))
        .map((key) => [key, Type.Optional(Type.Unknown({ description: 'Taken where it says nothing.' }))])
    const entry = Object.fromEntries([...lists, ...later(laterTableKeys, facets)])
    const table = Type.Object({ ...TableHead.properties, ...entry }, { ...closed, title: 'Table' })
    const shown = slices
      .filter(({ key, isInternal }) => key !== 'tables' && !isInternal)
      .map(({ key, schema }) => [key, Type.Optional(schema)])
    return {
      tables: Type.Array(table),
      slices: Object.fromEntries([...shown, ...later(laterKeys, slices)]) as Record<string, TSchema>,
      options: this.#dialect.unknownKeysPass ? {} : closed,
    }
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
  async validate({ content: document, place }: ReadDocument): Promise<void> {
    await this.#refuseDuplicates(document, place)
    for (const slice of this.#registry.slices) {
      locate(place(slice.key), () => slice.validate?.(sliceValue(document, slice.key), document))
    }
  }

  async #refuseDuplicates(document: MetadataDocument, place: ReadDocument['place']): Promise<void> {
    for (const slice of this.#registry.slices) {
      if (slice.key === 'tables' || !slice.entryKey) continue
      const entries = sliceValue(document, slice.key) as readonly unknown[]
      const key = (entry: unknown) => slice.entryKey?.(entry) ?? ''
      const name = (entry: unknown) => slice.entryName?.(entry) ?? key(entry)
      refuseRepeated(entries, duplicateKind(slice.key), place(slice.key), key, name)
    }
    refuseRepeated(
      document.tables,
      'tables',
      place('tables'),
      ({ table }) => nameKey(table),
      ({ table }) => nameText(table),
    )
    await inTurns(
      mapSteps(document.tables, (entry, i) => {
        return this.#refuseDuplicatesIn(entry, [...place('tables'), i, nameText(entry.table)])
      }),
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

  #checkKeys(parts: WireObject): void {
    const known = new Set(this.#registry.slices.filter((each) => !each.isInternal).map(({ key }) => key))
    for (const [key, value] of Object.entries(parts)) {
      if (known.has(key) || (laterKeys.has(key) && saysNothing(value))) continue
      if (!this.#dialect.unknownKeysPass) throw unexpectedKey([], key)
      this.#onPassedOver('unknown key in metadata is ignored', { key })
    }
  }

  async #readSlice(slice: AnySlice, { parts, place, formatVersion }: GivenDocument): Promise<unknown> {
    const value = own(parts, slice.key)
    const at = place(slice.key)
    if (slice.key === 'tables') return this.#readTables(value, at)
    if (slice.isInternal) return slice.empty
    if (value === undefined || value === null) return slice.empty
    const decoded = decode(slice.schema, value, at)
    return locate(at, () => (slice.read ? slice.read(decoded, { formatVersion }) : decoded))
  }

  #readTables(value: unknown, at: readonly PathKey[]): Promise<readonly TableEntry[]> {
    const entries = decode(Type.Array(Type.Unknown()), value, at)
    return inTurns(mapSteps(entries, (entry, i) => deepFreeze(this.#readTable(entry, [...at, i]))))
  }

  #readTable(value: unknown, at: readonly PathKey[]): TableEntry {
    if (jsonType(value) !== 'Object') throw parseFailed('expecting an Object for TableMetadata', at)
    const given = value as WireObject
    const { facets } = this.#registry
    const known = new Set<string>([...Object.keys(TableHead.properties), ...facets.map(({ key }) => key)])
    const unknown = Object.keys(given).filter((key) => {
      return !known.has(key) && !(laterTableKeys.has(key) && saysNothing(given[key]))
    })
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

/** Runs `work`; an error it throws is located below `at`. */
function locate<T>(at: readonly PathKey[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...at) : error
  }
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
