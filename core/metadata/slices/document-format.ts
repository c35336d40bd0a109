// Converts between the stored document and its wire form, which `export_metadata` produces and `replace_metadata`
// accepts.

import { KindGuard, type TSchema, Type } from '@sinclair/typebox'
import { inTurns, mapSteps } from '../../concurrency/stepwise.ts'
import { parseFailed, TrellisError, toTrellisError } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { deepFreeze, isJsonObject, saysNothing } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import { unknownKeysIn } from '../../wire/decode.ts'
import { ObjectName } from '../../wire/types.ts'
import type { MetadataDocument } from '../document/document.ts'
import {
  type GivenDocument,
  isOfSource,
  laterKeys,
  laterSourceKeys,
  openDocument,
  own,
  unexpectedKey,
  type WireObject,
} from '../document/given-document.ts'
import { DeclaredFacets, laterShapes, locate, refuseRepeated } from './facet-format.ts'
import { Faults, FaultyDocument, TooManyFaults } from './faults.ts'
import { givenKey } from './given-slice.ts'
import {
  checkSourceSettings,
  defaultSource,
  isOwnConnection,
  sourceKey,
  sourceName,
  unnamedSource,
} from './given-source.ts'
import { GivenTexts } from './given-texts.ts'
import type { PartPlace } from './recorder.ts'
import { documentOf, documentRank, type MetadataRegistry, setSliceValue, sliceEntries, sliceValue } from './registry.ts'
import { currentVersion, readStored, writeOne, writeSlice } from './slice-forms.ts'
import type { FormatContext, Slice } from './slices.ts'
import { type UnservedKeys, unservedKey } from './unserved.ts'

/** The formats of exported documents: that of v1.3, and that of version 2 with sources. */
export type ExportVersion = 2 | 3

/** Logs a part of a document that is ignored. */
export type OnIgnored = (message: string, detail: Readonly<Record<string, string>>) => void

/** A part of a document that is ignored, as an answer lists it. */
export type IgnoredPart = { readonly reason: string } & Readonly<Record<string, string>>

/** A received document in its stored form. */
export interface ReadDocument {
  readonly content: MetadataDocument
  readonly ignored: readonly IgnoredPart[]
  /** The path of a slice in the received document. */
  place(key: string): readonly PathKey[]
}

/** Reads and writes whole documents, by the declarations of plugins. */
export interface DocumentFormat {
  /** The stored form of a wire document of any format, frozen. Paths of errors start with `at`. */
  read(wire: unknown, at?: readonly PathKey[]): Promise<ReadDocument>
  /** The stored form of the value of one declared key, frozen; throws if it is not in the key's shape. */
  readPart(key: string, wire: unknown): Promise<{ readonly value: unknown }>
  /** The shape of written documents of a format, with everything that plugins have declared. Absent: format 2. */
  schema(version?: ExportVersion): TSchema
  /** The shape of accepted documents of any format. */
  givenSchema(): TSchema
  /** The wire form: keys in the interface's order, empty parts omitted, everything sorted. Absent: format 2. */
  write(document: MetadataDocument, version?: ExportVersion): Record<string, unknown>
  /**
   * The wire form of a part's value; the value itself if no plugin declares the part, or if it has another shape.
   * Absent: format 2.
   */
  writePart(place: PartPlace, value: unknown, version?: ExportVersion): unknown
  /** The reason why a stored value does not fit its slice's declaration; null when it fits. */
  problemOf(key: string, value: unknown): string | null
  /** Refuses a document that declares a name twice, or whose parts do not fit together. */
  validate(read: ReadDocument): Promise<void>
  /** The same format, which refuses unknown keys in any dialect. */
  strictly(): DocumentFormat
  /** Empties a draft, except for the parts that slices keep. */
  clear(draft: MetadataDocument): void
  /** Clears a draft and fills it with the content of a document. */
  fill(draft: MetadataDocument, document: MetadataDocument): void
  /** Replaces a draft's content by another document. */
  overwrite(draft: MetadataDocument, document: MetadataDocument): void
}

export class DeclaredFormat implements DocumentFormat {
  readonly #registry: MetadataRegistry
  readonly #dialect: Dialect
  readonly #onIgnored: OnIgnored
  readonly #givenTexts: GivenTexts

  constructor(registry: MetadataRegistry, dialect: Dialect, onIgnored: OnIgnored) {
    this.#registry = registry
    this.#dialect = dialect
    this.#onIgnored = onIgnored
    this.#givenTexts = new GivenTexts(registry, (source) => ({
      context: this.#contextOf(3, source),
      unknownKeys: unknownKeysIn(dialect),
    }))
  }

  strictly(): DocumentFormat {
    const dialect = { ...this.#dialect, unknownKeysPass: false }
    return this.#dialect.unknownKeysPass ? new DeclaredFormat(this.#registry, dialect, this.#onIgnored) : this
  }

  async read(wire: unknown, at: readonly PathKey[] = []): Promise<ReadDocument> {
    try {
      const given = openDocument(wire, (key) => this.#registry.isDeclared(key))
      if (given.source) checkSourceSettings(given.source, ['sources', 0], this.#dialect)
      const [faults, ignored] = [new Faults(), this.#ignoredIn(given)]
      const content = await this.#readParts(given, faults).catch((error: unknown) => {
        if (error instanceof TooManyFaults) return null
        throw error
      })
      const [first] = faults.found
      if (first || !content) throw first!.with({ cause: new FaultyDocument(faults.found, content) })
      for (const { reason, ...detail } of ignored) this.#onIgnored(reason, detail)
      return { content, ignored, place: (key) => [...at, ...given.place(key)] }
    } catch (error) {
      throw toTrellisError(error).at(...at)
    }
  }

  async readPart(key: string, wire: unknown): Promise<{ readonly value: unknown }> {
    const slice = this.#registry.find(key)!
    const faults = new Faults()
    const parts = { [key]: wire }
    const given = { formatVersion: 3, parts, wire: parts, place: () => [], source: null }
    const value = await this.#readSlice(slice, given, faults)
    const [first] = faults.found
    if (first) throw first
    await this.#refuseDuplicates([slice], documentOf([[key, value]]), () => [])
    return { value }
  }

  async #readParts(given: GivenDocument, faults: Faults): Promise<MetadataDocument> {
    if (!this.#dialect.unknownKeysPass) {
      for (const key of this.#unknownKeys(given.parts)) faults.add(unexpectedKey([], key))
    }
    for (const { key, isRequired } of this.#registry.slices) {
      if (isRequired && own(given.parts, key) === undefined) faults.add(parseFailed(`key "${key}" not found`))
    }
    const document: [string, unknown][] = []
    for (const slice of this.#registry.slices) {
      document.push([slice.key, await this.#readSlice(slice, given, faults)])
    }
    const read = documentOf(document)
    if (given.formatVersion === 3 && faults.found.length === 0) {
      const texts = await inTurns(this.#givenTexts.record(given.wire, read, this.#canonical(read, 3)))
      setSliceValue(read, givenKey, deepFreeze(texts))
    }
    return Object.freeze(read)
  }

  #ignoredIn({ parts, source }: GivenDocument): IgnoredPart[] {
    const keys = this.#dialect.unknownKeysPass ? this.#unknownKeys(parts) : []
    const ignored = keys.map((key) => ({ reason: 'unknown key in metadata is ignored', key }))
    if (!source || saysNothing(source.configuration) || isOwnConnection(source, this.#dialect)) return ignored
    return [
      ...ignored,
      { reason: 'the connection of a source is ignored: the server has its own', source: source.name },
    ]
  }

  schema(formatVersion: ExportVersion = currentVersion): TSchema {
    if (formatVersion === 3) return this.#thirdSchema()
    const version = Type.Optional(Type.Union([Type.Literal(1), Type.Literal(currentVersion)]))
    return Type.Object({ version, ...this.#shapes() }, { ...this.#options, title: 'Metadata' })
  }

  givenSchema(): TSchema {
    return Type.Union([this.schema(), this.#thirdSchema()])
  }

  #thirdSchema(): TSchema {
    const shapes = Object.entries(this.#shapes())
    const { tables, ...parts } = Object.fromEntries(shapes.filter(([key]) => isOfSource(key)))
    const source = Type.Object({
      name: ObjectName,
      kind: Type.Optional(Type.Union([Type.Literal('postgres'), Type.Literal('pg')])),
      ...(tables && { tables: Type.Optional(tables) }),
      ...parts,
      ...Object.fromEntries(laterShapes(laterSourceKeys, this.#registry.slices)),
    })
    const sources = Type.Array(source, { maxItems: 1 })
    const others = Object.fromEntries(shapes.filter(([key]) => !isOfSource(key)))
    const shape = { version: Type.Literal(3), sources, ...others }
    return Type.Object(shape, { ...this.#options, title: 'MetadataV3' })
  }

  get #options() {
    return this.#dialect.unknownKeysPass ? {} : { additionalProperties: false }
  }

  get #context(): FormatContext {
    return this.#contextOf(currentVersion)
  }

  #contextOf(formatVersion: ExportVersion, source?: string): FormatContext {
    const unknownKeys = unknownKeysIn(this.#dialect)
    const facets = new DeclaredFacets(this.#registry.facets, { unknownKeys, formatVersion, source })
    return { facets, formatVersion, source }
  }

  #shapes(): Record<string, TSchema> {
    const { slices } = this.#registry
    const shown = slices.filter(({ isInternal }) => !isInternal)
    const declared = shown.map((slice): [string, TSchema] => {
      const shape = slice.describe?.(this.#context) ?? slice.schema
      return [slice.key, slice.isRequired ? shape : Type.Optional(shape)]
    })
    return Object.fromEntries([...declared, ...laterShapes(laterKeys, slices)])
  }

  write(document: MetadataDocument, version: ExportVersion = currentVersion): Record<string, unknown> {
    const canonical = this.#canonical(document, version)
    return version === 3 ? this.#givenTexts.restore(document, canonical) : canonical
  }

  #canonical(document: MetadataDocument, version: ExportVersion): Record<string, unknown> {
    const named = sourceName(document)
    const context = this.#contextOf(version, named)
    const shown = this.#registry.slices.filter(({ isInternal }) => !isInternal)
    const declared = shown.map(
      ({ key }, i) => [key, writeSlice(shown[i]!, sliceValue(document, key), context, named)] as const,
    )
    const kept = Object.entries(document.unserved ?? {})
    const parts = [...declared, ...kept.filter(([, value]) => version === 3 || !saysNothing(value))]
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => documentRank(a) - documentRank(b))
    if (version === 2) return Object.fromEntries([['version', version], ...parts])
    const { name, kind = 'postgres', ...settings } = document.source ?? unnamedSource(this.#dialect)
    const ofSource = Object.fromEntries(parts.filter(([key]) => isOfSource(key)))
    const others = parts.filter(([key]) => !isOfSource(key))
    return { version, sources: [{ name, kind, ...ofSource, ...settings }], ...Object.fromEntries(others) }
  }

  writePart({ part, member, name }: PartPlace, value: unknown, version: ExportVersion = currentVersion): unknown {
    const slice = this.#registry.find(part)
    if (value === undefined || !slice) return value
    try {
      if (member === undefined) return writeOne(slice, value, this.#contextOf(version))
      const facet = name === undefined ? undefined : this.#registry.facets.find(({ key }) => key === member)
      return facet?.write ? facet.write(value, { formatVersion: version, source: defaultSource }) : value
    } catch {
      return value
    }
  }

  problemOf(key: string, value: unknown): string | null {
    const slice = this.#registry.find(key)
    try {
      if (slice) readStored(slice, value, this.#context)
      return null
    } catch (error) {
      const detail = error instanceof TrellisError ? `: ${error.message}` : ''
      return `it is not in the shape of "${key}"${detail}`
    }
  }

  async validate({ content: document, place }: ReadDocument): Promise<void> {
    await this.#refuseDuplicates(this.#registry.slices, document, place)
    for (const slice of this.#registry.slices) {
      locate(place(slice.key), () => slice.validate?.(sliceValue(document, slice.key), document, this.#context))
    }
  }

  /** Entries that contain other entries come last. */
  async #refuseDuplicates(
    slices: readonly Slice[],
    document: MetadataDocument,
    place: ReadDocument['place'],
  ): Promise<void> {
    // Texts of entries that repeat each other do so, too.
    const lists = slices.filter(({ key, entryKey }) => entryKey && key !== givenKey)
    const plain = lists.filter(({ validateEntry }) => !validateEntry)
    for (const slice of [...plain, ...lists.filter((each) => !plain.includes(each))]) {
      const { key, kind = key.replaceAll('_', ' '), laterKind = kind, validateEntry } = slice
      const entries = sliceEntries(document, key)
      const identity = (entry: unknown) => slice.entryKey?.(entry) ?? ''
      const name = (entry: unknown) => slice.entryName?.(entry) ?? identity(entry)
      refuseRepeated(entries, { kind, path: place(key), key: identity, text: name, laterKind })
      if (!validateEntry) continue
      const context = this.#context
      const check = (entry: unknown, i: number) =>
        locate([...place(key), i, name(entry)], () => validateEntry.call(slice, entry, context))
      await inTurns(mapSteps(entries, check))
    }
  }

  clear(draft: MetadataDocument): void {
    for (const slice of this.#registry.slices) {
      const value = sliceValue(draft, slice.key)
      setSliceValue(draft, slice.key, slice.cleared ? slice.cleared(value) : slice.empty)
    }
  }

  fill(draft: MetadataDocument, document: MetadataDocument): void {
    this.clear(draft)
    for (const { key, entryKey } of this.#registry.slices) {
      const kept = entryKey ? sliceEntries(draft, key) : []
      setSliceValue(draft, key, kept.length > 0 ? [...kept, ...sliceEntries(document, key)] : sliceValue(document, key))
    }
  }

  overwrite(draft: MetadataDocument, document: MetadataDocument): void {
    for (const { key } of this.#registry.slices) setSliceValue(draft, key, sliceValue(document, key))
  }

  #unknownKeys(parts: WireObject): string[] {
    const known = new Set(this.#registry.slices.filter((each) => !each.isInternal).map(({ key }) => key))
    return Object.keys(parts).filter((key) => !known.has(key) && !laterKeys.has(key))
  }

  /** The keys of later engines that no plugin declares; null if there is no such key. */
  #unserved(parts: WireObject): UnservedKeys | null {
    const isUnserved = ([key, value]: [string, unknown]) =>
      laterKeys.has(key) && value !== null && !this.#registry.isDeclared(key)
    const kept = Object.entries(parts).filter(isUnserved)
    return kept.length > 0 ? Object.fromEntries(kept) : null
  }

  async #readSlice(
    slice: Slice,
    { parts, place, formatVersion, source }: GivenDocument,
    faults: Faults,
  ): Promise<unknown> {
    const value = own(parts, slice.key)
    const at = place(slice.key)
    if (slice.key === sourceKey) return faults.keep(source, 'the settings of the source have', ['sources', 0])
    if (slice.key === unservedKey) return faults.keep(this.#unserved(parts), 'the keys that are not served have', [])
    if (slice.isInternal) return slice.empty
    if (value === undefined || (value === null && !slice.isRequired)) return slice.empty
    // Exports of later engines have empty objects for settings that were never made.
    const isUnset = isJsonObject(value) && Object.keys(value).length === 0
    if (isUnset && !slice.isRequired && KindGuard.IsObject(slice.schema)) return slice.empty
    const unknownKeys = unknownKeysIn(this.#dialect)
    const decoded = KindGuard.IsArray(slice.schema)
      ? await inTurns(faults.decodeList(slice.schema, value, at, unknownKeys))
      : faults.decode(slice.schema, value, at, unknownKeys)
    if (decoded === undefined) return slice.empty
    const { readEntry } = slice
    if (!readEntry) return this.#readWhole(slice, decoded, { formatVersion, faults: faults.at(...at) })
    const read = (entry: unknown, i: number) => {
      const inside = faults.at(...at, i)
      const facets = new DeclaredFacets(this.#registry.facets, { unknownKeys, faults: inside, source: source?.name })
      const context = { facets, fault: inside.add, formatVersion }
      return entry === undefined ? undefined : inside.attempt(() => deepFreeze(readEntry.call(slice, entry, context)))
    }
    const entries = await inTurns(mapSteps(decoded as readonly unknown[], read))
    return Object.freeze(entries.filter((entry) => entry !== undefined))
  }

  #readWhole(
    slice: Slice,
    decoded: unknown,
    { formatVersion, faults }: { readonly formatVersion: number; readonly faults: Faults },
  ): unknown {
    const given = Array.isArray(decoded) ? decoded.filter((item) => item !== undefined) : decoded
    const read = faults.attempt(() => (slice.read ? slice.read(given, { formatVersion }) : given))
    return read === undefined ? slice.empty : deepFreeze(read)
  }
}
