// What a plugin declares about its part of the metadata: slices of the document, and facets of a table's entry.

import type { Static, TSchema } from '@sinclair/typebox'
import type { ModelSlices } from '../../../sdk/registry.ts'
import type { Catalog, CatalogFunction } from '../../catalog/types.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import type { FieldModel, Model, TableModel, TablePermissions } from '../document/model.ts'
import type { DependencyReason, ObjectRef, Rename } from '../document/objects.ts'
import type { ConflictWording, RootFieldNames } from '../naming/root-fields.ts'
import type { SchemaKind } from '../naming/type-names.ts'
import type { SourceState } from './sources.ts'

/** What resolving may look at. Reads of other tables are recorded, so an object is resolved again when they change. */
export interface ResolveContext {
  /** Everything introspected. Whoever looks is resolved again after each change of any table: prefer {@link table}. */
  readonly catalog: Catalog
  readonly dialect: Dialect
  /** A table by name. Facets of stage `fields` see its columns only; those of stage `rules` all its fields. */
  table(name: QualifiedName): TableModel | undefined
  /** The database's functions of that name, overloads each on their own; only of those that `functionsOf` tells. */
  functions(name: QualifiedName): readonly CatalogFunction[]
  /** The value of an environment variable of the server. */
  environment(name: string): string | undefined
  /** What another slice resolved to, which must be named in `after`; undefined when no plugin declares it. */
  resolved<K extends keyof ModelSlices>(key: K): ModelSlices[K] | undefined
  /** What is known of a source: its value, or why there is none. */
  source(key: string, id: string): SourceState
  /** Records that the object being resolved needs another one. */
  depend(on: ObjectRef, reason: DependencyReason): void
}

/**
 * What a slice's `resolve` may look at, besides reporting broken entries. Tables are complete here, unless the slice comes
 * `before` a stage of theirs.
 */
export interface SliceContext extends Omit<ResolveContext, 'depend'> {
  /** Leaves an object out of the model, and lists it. */
  report(object: ObjectDescription, reason: string): void
  /** Records that an object needs another one. */
  depend(object: ObjectRef, on: ObjectRef, reason: DependencyReason): void
  /**
   * Takes root fields for an object. False when a table, an earlier slice or an earlier object has one of them: the
   * object is listed then, the operation that brought it about is refused, and it has to stay out of the model.
   */
  claimRootFields(object: ObjectDescription, names: Partial<RootFieldNames>, wording?: ConflictWording): boolean
  /** The same for names of GraphQL types; those that are generated of tables are taken. */
  claimTypeNames(object: ObjectDescription, names: readonly string[] | ClaimedTypes, wording?: ConflictWording): boolean
  /**
   * The table whose row type has that name; undefined when there is none, or when its entry in the document adds fields to the
   * columns, broken ones included.
   */
  plainTable(typeName: string): TableModel | undefined
  /** Another slice's value in the document. */
  slice<K extends keyof MetadataDocument>(key: K): MetadataDocument[K]
}

/** Names of types that an object claims. */
export interface ClaimedTypes {
  readonly types?: readonly string[]
  /** Of scalars, which tables and others may have as well. */
  readonly scalars?: readonly string[]
  /** The schemas in which they are; absent: all. */
  readonly schemas?: readonly SchemaKind[]
}

/** How an object is listed and named. */
export interface ObjectDescription {
  readonly ref: ObjectRef
  readonly type: string
  readonly definition: unknown
  /** Whether a document is taken although the object is inconsistent: nothing is more open without it. Absent: no. */
  readonly isTolerated?: boolean
}

/** An entry of a list slice; of another slice, its value. */
export type SliceEntry<K extends keyof MetadataDocument> = MetadataDocument[K] extends readonly (infer E)[]
  ? E
  : MetadataDocument[K]

/** What facets keep in a table's entry, all of them together. */
export interface FacetFormat {
  /** The shapes of their keys in documents. */
  shapes(): Record<string, TSchema>
  /** The keys of an entry that are neither the given ones nor a facet's. */
  unexpectedKeys(given: Readonly<Record<string, unknown>>, ownKeys: Iterable<string>): string[]
  /** Their members in stored form, without empty ones; throws with a path relative to the entry. */
  read(given: Readonly<Record<string, unknown>>): Partial<TableEntry>
  /** Their members in wire form, sorted. */
  write(entry: TableEntry): Record<string, unknown>
  /** Refuses objects of the same name. */
  validate(entry: TableEntry): void
  /** Refuses objects of several tables whose names are of the whole document. */
  validateAll(entries: readonly TableEntry[]): void
  /** Whether their members in what is stored can be used at all. */
  areUsable(stored: Readonly<Record<string, unknown>>): boolean
  /** Their members after a rename. */
  rename(entry: TableEntry, rename: Rename, place: Pick<RenamePlace, 'lookup'>): Partial<TableEntry>
}

/** What reading and writing documents may look at. */
export interface FormatContext {
  readonly facets: FacetFormat
}

/** The types of a slice: its schema, its stored value, an entry of it, and its part of the model. */
export interface SliceTypes {
  readonly schema: TSchema
  readonly value: unknown
  readonly entry: unknown
  readonly resolved: unknown
}

/** One top-level key of the metadata document. With no argument, the types of its values are unknown. */
export interface Slice<T extends SliceTypes = SliceTypes> {
  readonly key: string
  /** Whether documents on the wire neither have nor take it. */
  readonly isInternal?: boolean
  /** The wire shape in documents, checked on import. */
  readonly schema: T['schema']
  /** What descriptions show in the place of `schema`, where it depends on what other plugins declare. */
  describe?(context: FormatContext): TSchema
  readonly empty: T['value']
  /** Whether every document has it, be it empty. */
  readonly isRequired?: boolean
  /** What messages call its entries; absent: the key, in words. */
  readonly kind?: string
  /** Identity of an entry of a list slice; each entry is stored and compared on its own. Absent: one value. */
  entryKey?(entry: T['entry']): string
  /** What messages call an entry; absent: its key. */
  entryName?(entry: T['entry']): string
  /** What is said when a document brings an entry whose key one has that stays. */
  keptMessage?(key: string): string
  /** The order of entries in documents; absent: by their keys. */
  compareEntries?(a: T['entry'], b: T['entry']): number
  /** Decoded wire shape to stored shape; throws with a path relative to the slice. Absent: as it is. */
  read?(value: Static<T['schema']>, context: { readonly formatVersion: number }): T['value']
  /** The same of each entry, in place of `read`: thousands of them are read in turns. */
  readEntry?(value: unknown, context: FormatContext): T['entry']
  /** Stored shape to wire shape, sorted; `undefined` leaves the key out. Absent: the value, left out when empty. */
  write?(value: T['value']): unknown
  /** The same of each entry, in place of `write`. */
  writeEntry?(entry: T['entry'], context: FormatContext): unknown
  /** Refuses a given document in which the slice does not fit the others; throws with a path relative to the slice. */
  validate?(value: T['value'], document: MetadataDocument, context: FormatContext): void
  /** Refuses an entry of a given document that does not fit itself; throws with a path relative to the entry. */
  validateEntry?(entry: T['entry'], context: FormatContext): void
  /** Whether what is stored, perhaps by another release, can be used at all. Absent: when it has a key. */
  isUsable?(entry: unknown, context: FormatContext): boolean
  /** What `clear_metadata` leaves. Absent: `empty`. */
  cleared?(value: T['value']): T['value']
  /** The functions of the database that resolving looks at. */
  functionsOf?(value: T['value']): readonly QualifiedName[]
  /** Slices that are resolved before, whose results `resolve` may look at. */
  readonly after?: readonly (string & keyof ModelSlices)[]
  /**
   * Facets of tables that may look at the result: then the slice sees tables with their columns only (`fields`), or without
   * what facets of stage `rules` add (`rules`). Absent: it is resolved after all of them.
   */
  readonly before?: Facet['stage']
  /** The slice's part of the model. Reports broken entries instead of throwing, and goes on. */
  resolve?(value: T['value'], context: SliceContext): T['resolved']
  /** Takes an object out of a draft; false when it is not one of this slice. Used by cascades and drops. */
  remove?(draft: MetadataDocument, object: ObjectRef): boolean
  /**
   * The entry with the new name in place of the old one; of slices without entries, the value. It is asked where the old name
   * stands anywhere in them. Absent: they mention none.
   */
  rename?(entry: T['entry'], rename: Rename, place: SliceRenamePlace): T['entry']
}

/** The types of the slice under the key `K` of the document. */
export interface TypesOfSlice<K extends keyof MetadataDocument, S extends TSchema = TSchema> {
  readonly schema: S
  readonly value: MetadataDocument[K]
  readonly entry: SliceEntry<K>
  readonly resolved: K extends keyof ModelSlices ? ModelSlices[K] : unknown
}

/** The argument of `engine.metadata.slice` beside the key. */
export type SliceDefinition<K extends keyof MetadataDocument, S extends TSchema = TSchema> = Omit<
  Slice<TypesOfSlice<K, S>>,
  'key' | 'isInternal'
>

/** A table under construction, as `attach` may extend it; `fields` holds what the object at hand attaches. */
export interface TableDraft {
  readonly fields: Map<string, FieldModel>
  readonly permissions: Map<string, TablePermissions>
  readonly extensions: Map<string, Map<string, unknown>>
}

/** A key of a table's entry that holds an array of objects: relationships, permissions, event triggers, ... */
export interface Facet<Entry = unknown, Resolved = unknown> {
  readonly key: string & keyof TableEntry
  /** `fields` adds members to the row and sees other tables' columns; `rules` uses the members of all tables. */
  readonly stage: 'fields' | 'rules'
  /** Slices whose results `resolve` may look at: those that come `before` its stage. */
  readonly after?: readonly (string & keyof ModelSlices)[]
  readonly schema: TSchema
  /** What the document's duplicate check calls these objects: `relationships`, `select permissions`. */
  readonly duplicates: {
    readonly kind: string
    /** Whether names are of the whole document; absent: of the table. */
    readonly isGlobal?: boolean
    name(entry: Entry): string
  }
  /** Identity within the table: the name or role. */
  identify(entry: Entry): string
  describe(table: QualifiedName, entry: Entry): ObjectDescription
  /** Wire shape to stored shape, with a path relative to the entry. */
  read?(value: unknown): Entry
  write?(entry: Entry): unknown
  /** The functions of the database that resolving looks at. */
  functionsOf?(entry: Entry): readonly QualifiedName[]
  /** Throws a TrellisError when the entry is broken; its message is the inconsistency's reason. */
  resolve(entry: Entry, table: TableModel, context: ResolveContext): Resolved
  /**
   * Core refuses members whose name is taken, so what is attached need not be checked against columns or others. Absent:
   * `extensions` has it, under the facet's key and the identity.
   */
  attach?(table: TableDraft, identity: string, resolved: Resolved, entry: Entry): void
  /** The entry with the new name in place of the old one. Absent: it never mentions names of others. */
  rename?(entry: Entry, rename: Rename, place: RenamePlace): Entry
}

/** A facet with the type of its entries by its key, as `engine.metadata.facet` takes it. */
export type FacetDefinition<K extends string & keyof TableEntry, Resolved = unknown> = Facet<
  NonNullable<TableEntry[K]> extends readonly (infer E)[] ? E : never,
  Resolved
> & { readonly key: K }

/** Where an entry stands whose names are rewritten. */
export interface RenamePlace {
  /** The table whose entry it is in, as it is called before the rename. */
  readonly table: QualifiedName
  /** Tables with their members as they were before the rename. */
  lookup(table: QualifiedName): TableModel | undefined
}

/** The same of an entry of a slice. */
export interface SliceRenamePlace extends Pick<RenamePlace, 'lookup'>, FormatContext {}

/** A change of the model that is about to be stored, or the first model of a process. */
export interface ModelChange {
  /** What the transaction leaves behind; null for the first model of a process: what is in the database may be of any other. */
  readonly previous: Model | null
  readonly next: Model
  /** Whether everything was read from the database again: what is there may differ from what `previous` says of it. */
  readonly isReread: boolean
  /** The transaction that the metadata is saved in. */
  readonly transaction: Transaction
}

/**
 * Brings the database in line with the model, whatever operation changed it: event triggers' SQL for instance. Runs
 * before the change is stored; both are committed or neither.
 */
export type ModelEffect = (change: ModelChange) => Promise<void>

/** Finds a table's entry in a document or draft. */
export const findTable = (document: Pick<MetadataDocument, 'tables'>, name: QualifiedName): TableEntry | undefined =>
  document.tables.find(({ table }) => table.name === name.name && table.schema === name.schema)
