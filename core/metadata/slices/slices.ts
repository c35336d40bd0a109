// Declarations of plugins about their part of the metadata: slices of the document, and facets of a table's entry.

import type { Static, TSchema } from '@sinclair/typebox'
import { isDraft, original } from 'immer'
import type { ModelSlices } from '../../../sdk/registry.ts'
import type { Catalog, CatalogFunction } from '../../catalog/types.ts'
import type { Steps } from '../../concurrency/stepwise.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { TrellisError } from '../../errors/errors.ts'
import type { Dialect } from '../../names/dialect.ts'
import { nameKey, type QualifiedName, sameName } from '../../names/names.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import type { FieldModel, Model, TableModel, TablePermissions } from '../document/model.ts'
import type { DependencyReason, Inconsistency, ObjectRef, Rename } from '../document/objects.ts'
import type { ConflictWording, RootFieldNames } from '../naming/root-fields.ts'
import type { SourceNaming } from '../naming/source-naming.ts'
import type { SchemaKind } from '../naming/type-names.ts'
import { searchesBeforeIndex } from '../tuning.ts'
import type { SourceState } from './sources.ts'

/**
 * The context of resolving an object. Reads of other tables are recorded; the object is resolved again when they
 * change.
 */
export interface ResolveContext {
  /** The whole catalog. An object that reads it is resolved again after a change of any table: prefer {@link table}. */
  readonly catalog: Catalog
  readonly dialect: Dialect
  /** A table by name. Facets of stage `fields` see only its columns, those of stage `rules` all its fields. */
  table(name: QualifiedName): TableModel | undefined
  /** The database functions of this name, one for each overload; limited to functions that `functionsOf` lists. */
  functions(name: QualifiedName): readonly CatalogFunction[]
  /** The value of an environment variable of the server. */
  environment(name: string): string | undefined
  /** The result of another slice, which must be listed in `after`; undefined when no plugin declares that slice. */
  resolved<K extends keyof ModelSlices>(key: K): ModelSlices[K] | undefined
  /** The state of a source: its value, or the reason why it has none. */
  source(key: string, id: string): SourceState
  /** A field that an earlier facet of this stage gives to the rows of the object's table. */
  earlierField(name: string): FieldModel | undefined
  /** Records that the object being resolved needs another one. */
  depend(on: ObjectRef, reason: DependencyReason): void
}

/**
 * The context of a slice's `resolve`, which can also report broken entries. Tables are complete here, unless the slice
 * comes `before` one of their stages.
 */
export interface SliceContext extends Omit<ResolveContext, 'depend' | 'earlierField'> {
  /** Excludes an object from the model, and lists it as inconsistent. */
  report(object: ObjectDescription, reason: string): void
  /** The same for objects that clash; they are listed together, as `{reason, conflicts}` with their definitions. */
  reportClash(objects: readonly ObjectDescription[], reason: string): void
  /** Records that an object needs another one. */
  depend(object: ObjectRef, on: ObjectRef, reason: DependencyReason): void
  /** The name to claim for a root field of the source's objects, after that of the source's namespace. */
  sourceFieldName(name: string): string
  /** The name that the source gives to a type of its objects. */
  sourceTypeName(name: string): string
  /** The naming of the source. */
  readonly sourceNaming: SourceNaming
  /** Whether the source spells generated names in camel case. */
  readonly isCamel: boolean
  /**
   * Claims root fields for an object. Returns false when a table, an earlier slice or an earlier object has one of
   * them. The object is then listed, the operation that caused it is refused, and `resolve` must leave the object out.
   */
  claimRootFields(object: ObjectDescription, names: Partial<RootFieldNames>, wording?: ConflictWording): boolean
  /** The same for names of GraphQL types; type names that are generated for tables count as taken. */
  claimTypeNames(object: ObjectDescription, names: readonly string[] | ClaimedTypes, wording?: ConflictWording): boolean
  /**
   * The table whose row type has this name. Undefined if there is no such table, or if its entry in the document adds
   * fields to the columns, even broken ones.
   */
  plainTable(typeName: string): TableModel | undefined
  /** The value of another slice in the document. */
  slice<K extends keyof MetadataDocument>(key: K): MetadataDocument[K]
}

/** Type names that an object claims. */
export interface ClaimedTypes {
  readonly types?: readonly string[]
  /** Names of scalars, which tables and other objects may share. */
  readonly scalars?: readonly string[]
  /** The schemas that contain the types; absent: all. */
  readonly schemas?: readonly SchemaKind[]
}

/** The listing and the name of an object. */
export interface ObjectDescription {
  readonly ref: ObjectRef
  readonly type: string
  readonly definition: unknown
  /**
   * Whether a document with this inconsistency is accepted, because excluding the object opens no access. Absent: no.
   */
  readonly isTolerated?: boolean
  /** Its name after its type, and its definition, in interface 2 where they differ. */
  readonly later?: Inconsistency['later']
}

/** An entry of a list slice; for another slice, its value. */
export type SliceEntry<K extends keyof MetadataDocument> = MetadataDocument[K] extends readonly (infer E)[]
  ? E
  : MetadataDocument[K]

/** The members of all facets in a table's entry. */
export interface FacetFormat {
  /** The shapes of their keys in documents. */
  shapes(): Record<string, TSchema>
  /** The keys of an entry that belong neither to `ownKeys` nor to a facet. */
  unexpectedKeys(given: Readonly<Record<string, unknown>>, ownKeys: Iterable<string>): string[]
  /** Their members in stored form, without empty ones; paths of errors are relative to the entry. */
  read(given: Readonly<Record<string, unknown>>): Partial<TableEntry>
  /** Their members in wire form, sorted. */
  write(entry: TableEntry): Record<string, unknown>
  /** Refuses objects of the same name. */
  validate(entry: TableEntry): void
  /** Refuses duplicates among objects whose names are unique in the whole document. */
  validateAll(entries: readonly TableEntry[]): void
  /** Whether the stored members can be used at all. */
  areUsable(stored: Readonly<Record<string, unknown>>): boolean
  /** Their members after a rename. */
  rename(entry: TableEntry, rename: Rename, place: Pick<RenamePlace, 'lookup'>): Partial<TableEntry>
}

/** The context of reading and writing documents. */
export interface FormatContext {
  readonly facets: FacetFormat
  /** The format of the document that is read or written; absent: that of the stored form. */
  readonly formatVersion?: number
  /** The name of the source; absent: the one that always means it. */
  readonly source?: string
  /** Takes a fault of an entry that can be read all the same; absent: throw it. */
  readonly fault?: (error: TrellisError) => void
}

/** The types of a slice: its schema, its stored value, an entry of it, and its part of the model. */
export interface SliceTypes {
  readonly schema: TSchema
  readonly value: unknown
  readonly entry: unknown
  readonly resolved: unknown
}

/** One top-level key of the metadata document. Without an argument, the types of its values are unknown. */
export interface Slice<T extends SliceTypes = SliceTypes> {
  readonly key: string
  /** Whether the key is missing from documents on the wire, in both directions. */
  readonly isInternal?: boolean
  /** The wire shape in documents; checked on import. */
  readonly schema: T['schema']
  /** The shape in descriptions, if it depends on the declarations of other plugins; replaces `schema` there. */
  describe?(context: FormatContext): TSchema
  readonly empty: T['value']
  /** Whether every document has the key, even if empty. */
  readonly isRequired?: boolean
  /** The term for its entries in messages; absent: the key, in words. */
  readonly kind?: string
  /** The same in interface 2; absent: that term. */
  readonly laterKind?: string
  /**
   * Identity of an entry of a list slice; entries are stored and compared one by one. Absent: the slice is one value.
   */
  entryKey?(entry: T['entry']): string
  /** The name of an entry in messages; absent: its key. */
  entryName?(entry: T['entry']): string
  /** The error message when a document brings an entry whose key belongs to an entry that stays. */
  keptMessage?(key: string): string
  /** The order of entries in documents; absent: by their keys. */
  compareEntries?(a: T['entry'], b: T['entry']): number
  /** Decoded wire shape to stored shape; paths of errors are relative to the slice. Absent: unchanged. */
  read?(value: Static<T['schema']>, context: { readonly formatVersion: number }): T['value']
  /**
   * The same for each entry, instead of `read`. Thousands of entries are read in turns, so that requests are not
   * blocked.
   */
  readEntry?(value: unknown, context: FormatContext): T['entry']
  /** Stored shape to wire shape, sorted; `undefined` omits the key. Absent: the value, omitted when empty. */
  write?(value: T['value'], context: { readonly formatVersion: number; readonly source: string }): unknown
  /** The same for each entry, instead of `write`. */
  writeEntry?(entry: T['entry'], context: FormatContext): unknown
  /**
   * Refuses a received document in which the slice does not fit the others; paths of errors are relative to the slice.
   */
  validate?(value: T['value'], document: MetadataDocument, context: FormatContext): void
  /** Refuses an invalid entry of a received document; paths of errors are relative to the entry. */
  validateEntry?(entry: T['entry'], context: FormatContext): void
  /** Whether a stored value, perhaps of another release, can be used at all. Absent: when it has a key. */
  isUsable?(entry: unknown, context: FormatContext): boolean
  /** The value after `clear_metadata`. Absent: `empty`. */
  cleared?(value: T['value']): T['value']
  /** The database functions that resolving reads. */
  functionsOf?(value: T['value']): readonly QualifiedName[]
  /** Slices that are resolved before this one; `resolve` may read their results. */
  readonly after?: readonly (string & keyof ModelSlices)[]
  /**
   * The stage of facets that may read this slice's result. The slice then sees tables with their columns only
   * (`fields`), or without the results of stage `rules` (`rules`). Absent: it is resolved after all stages.
   */
  readonly before?: Facet['stage']
  /** The slice's part of the model. Reports broken entries and continues; it must not throw. */
  resolve?(value: T['value'], context: SliceContext): T['resolved']
  /** Removes an object from a draft, for cascades and drops; false when this slice does not own it. */
  remove?(draft: MetadataDocument, object: ObjectRef): boolean
  /**
   * The entry with the new name instead of the old one; for slices without entries, the value. Called if the old name
   * occurs anywhere in it. Absent: entries never contain names.
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

/** The argument of `engine.metadata.slice` after the key. */
export type SliceDefinition<K extends keyof MetadataDocument, S extends TSchema = TSchema> = Omit<
  Slice<TypesOfSlice<K, S>>,
  'key' | 'isInternal'
>

/** A table under construction, which `attach` may extend; `fields` receives the fields of the current object. */
export interface TableDraft {
  readonly fields: Map<string, FieldModel>
  readonly permissions: Map<string, TablePermissions>
  readonly extensions: Map<string, Map<string, unknown>>
}

/**
 * A key of a table's entry that holds an array of objects: relationships, permissions, event triggers, ...
 * A facet that is `isSingle` holds one object, without an array.
 */
export interface Facet<Entry = unknown, Resolved = unknown> {
  readonly key: string & keyof TableEntry
  /** Whether the key holds one object, which stands for the only entry. Absent: no. */
  readonly isSingle?: boolean
  /** `fields` adds members to the row and sees the columns of other tables; `rules` uses the members of all tables. */
  readonly stage: 'fields' | 'rules'
  /** Slices whose results `resolve` may read: those that come `before` its stage. */
  readonly after?: readonly (string & keyof ModelSlices)[]
  readonly schema: TSchema
  /** The term for these objects in the document's duplicate check: `relationships`, `select permissions`. */
  readonly duplicates: {
    readonly kind: string
    /** Whether names are unique in the whole document; absent: in the table. */
    readonly isGlobal?: boolean
    name(entry: Entry): string
  }
  /** Identity within the table: the name or role. */
  identify(entry: Entry): string
  describe(table: QualifiedName, entry: Entry): ObjectDescription
  /** Wire shape to stored shape; paths of errors are relative to the entry. */
  read?(value: unknown, context: { readonly source: string }): Entry
  write?(entry: Entry, context: { readonly formatVersion: number; readonly source: string }): unknown
  /** The database functions that resolving reads. */
  functionsOf?(entry: Entry): readonly QualifiedName[]
  /** Throws a TrellisError when the entry is broken; its message becomes the inconsistency's reason. */
  resolve(entry: Entry, table: TableModel, context: ResolveContext): Resolved
  /**
   * Adds the result to the table. Core refuses members whose name is taken, so this need not check for clashes. Absent:
   * the result is stored in `extensions`, under the facet's key and the identity.
   */
  attach?(table: TableDraft, identity: string, resolved: Resolved, entry: Entry): void
  /** The entry with the new name instead of the old one. Absent: entries never contain names of other objects. */
  rename?(entry: Entry, rename: Rename, place: RenamePlace): Entry
}

/** A facet whose entry type follows from its key: the argument of `engine.metadata.facet`. */
export type FacetDefinition<K extends string & keyof TableEntry, Resolved = unknown> = {
  readonly key: K
} & (NonNullable<TableEntry[K]> extends readonly (infer E)[]
  ? Facet<E, Resolved>
  : Facet<NonNullable<TableEntry[K]>, Resolved> & { readonly isSingle: true })

/** The place of an entry whose names are rewritten. */
export interface RenamePlace {
  /** The table that holds the entry, by its name before the rename. */
  readonly table: QualifiedName
  /** A table with its members as they were before the rename. */
  lookup(table: QualifiedName): TableModel | undefined
}

/** The same for an entry of a slice. */
export interface SliceRenamePlace extends Pick<RenamePlace, 'lookup'>, FormatContext {}

/** A change of the model that is about to be stored, or the first model of a process. */
export interface ModelChange {
  /**
   * The model that the transaction replaces. Null for the first model of a process, because the database may be in any
   * state.
   */
  readonly previous: Model | null
  readonly next: Model
  /** Whether the database was read again in full: its objects may differ from the catalog of `previous`. */
  readonly isReread: boolean
  /** The transaction that saves the metadata. */
  readonly transaction: Transaction
}

/**
 * Reconciles the database with the model after any operation, for example SQL of event triggers. It runs before the
 * change is stored; both are committed together or not at all.
 */
export type ModelEffect = (change: ModelChange) => Promise<void>

/**
 * Looks at a model as a whole, after it was resolved; returns objects that do not fit it. These are listed, and an
 * operation that makes them so is refused. It yields now and then, and must not throw.
 */
export type ModelCheck = (model: Model, document: MetadataDocument) => Steps<readonly Inconsistency[]>

/** The positions of tables in a frozen list, made once searches have cost as much as an index. */
interface Positions {
  searches: number
  byName: ReadonlyMap<string, number> | null
}

const positions = new WeakMap<readonly TableEntry[], Positions>()

function positionIn(tables: readonly TableEntry[], name: QualifiedName): number | undefined {
  const known = positions.get(tables) ?? { searches: 0, byName: null }
  positions.set(tables, known)
  if (known.searches++ < searchesBeforeIndex) return tables.findIndex(({ table }) => sameName(table, name))
  known.byName ??= new Map(tables.map(({ table }, i) => [nameKey(table), i]))
  return known.byName.get(nameKey(name))
}

/** Finds a table's entry in a document or draft. */
export function findTable({ tables }: Pick<MetadataDocument, 'tables'>, name: QualifiedName): TableEntry | undefined {
  const isNamed = ({ table }: TableEntry) => table.name === name.name && table.schema === name.schema
  // In a draft, each entry that was found before is compared through a proxy, which is slow. Most entries stay in place.
  const given = isDraft(tables) ? original(tables) : tables
  const at = given && Object.isFrozen(given) ? positionIn(given, name) : undefined
  const entry = at === undefined ? undefined : tables[at]
  return entry && isNamed(entry) ? entry : tables.find(isNamed)
}
