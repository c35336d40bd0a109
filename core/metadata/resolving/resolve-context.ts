// The context of resolving. It records each read: an object whose reads did not change need not be resolved again.

import type { ModelSlices } from '../../../sdk/registry.ts'
import type { Catalog, CatalogFunction } from '../../catalog/types.ts'
import type { Vocabulary } from '../../compiler/types/vocabulary.ts'
import { memberOf } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import { isGraphQLName, nameKey, type QualifiedName, sameName } from '../../names/names.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { FieldModel, TableModel } from '../document/model.ts'
import {
  type Dependency,
  type DependencyReason,
  type Inconsistency,
  type ObjectRef,
  objectKey,
} from '../document/objects.ts'
import { rootFieldIndex } from '../naming/root-field-index.ts'
import type {
  ClaimedNames,
  ConflictWording,
  NameClaim,
  NameConflicts,
  NameLedger,
  RootFieldNames,
} from '../naming/root-fields.ts'
import { placedField, type SourceNaming, sourceType } from '../naming/source-naming.ts'
import { sourceNaming } from '../slices/given-source.ts'
import { sliceValue } from '../slices/registry.ts'
import type { ClaimedTypes, ObjectDescription, ResolveContext, SliceContext } from '../slices/slices.ts'
import { placeOf, type SourceState, type SourceStates } from '../slices/sources.ts'
import type { ColumnTransforms } from './column-transforms.ts'

/** The environment of one resolve. */
export interface ResolveEnvironment {
  readonly dialect: Dialect
  /** The types and operators that the engine knows. */
  readonly vocabulary: Vocabulary
  /** The transformations of columns, if plugins declare any. */
  readonly transforms?: ColumnTransforms
  /** Whether a source that names no convention has names in camel case. Absent: no. */
  readonly isCamelByDefault?: boolean
  /** The value of an environment variable; constant for the life of the process. */
  environment(name: string): string | undefined
}

/** The reads of one resolve. */
export interface Reads {
  /** Keys of tables, including tables that were not found. */
  readonly tables: ReadonlySet<string>
  /** Keys of functions. */
  readonly functions: ReadonlySet<string>
  readonly catalog: boolean
  /** Results of other slices, by key. */
  readonly results: ReadonlyMap<string, unknown>
  /** Places of sources. */
  readonly sources: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()
const noResults: ReadonlyMap<string, unknown> = new Map()

/** The reads of a resolve that read nothing. */
export const noReads: Reads = { tables: none, functions: none, catalog: false, results: noResults, sources: none }

/** Everything that a resolve may read. */
export interface RecordedWorld extends ResolveEnvironment {
  readonly catalog: Catalog
  readonly tables: ReadonlyMap<string, TableModel>
  readonly sources: SourceStates
  /** The results of slices so far. */
  readonly results: ReadonlyMap<string, { readonly model: unknown }>
}

const unwanted: SourceState = { kind: 'failure', reason: 'the document does not use it' }

class RecordingContext {
  readonly dialect: Dialect
  readonly dependencies: Dependency[] = []
  protected readonly world: RecordedWorld
  readonly #tables = new Set<string>()
  readonly #functions = new Set<string>()
  readonly #refs = new Map<string, ObjectRef>()
  #readsCatalog = false
  // Created on first use: most resolves read no other slice.
  #results: Map<string, unknown> | null = null
  #sources: Set<string> | null = null
  /** The slices whose results may be read. */
  after: readonly string[] = []

  constructor(world: RecordedWorld) {
    this.dialect = world.dialect
    this.world = world
  }

  get catalog(): Catalog {
    this.#readsCatalog = true
    return this.world.catalog
  }

  get reads(): Reads {
    const [results, sources] = [this.#results ?? noResults, this.#sources ?? none]
    return { tables: this.#tables, functions: this.#functions, catalog: this.#readsCatalog, results, sources }
  }

  table(name: QualifiedName): TableModel | undefined {
    const key = nameKey(name)
    this.#tables.add(key)
    return this.world.tables.get(key)
  }

  functions(name: QualifiedName): readonly CatalogFunction[] {
    const key = nameKey(name)
    this.#functions.add(key)
    return this.world.catalog.functions.get(key) ?? []
  }

  environment(name: string): string | undefined {
    return this.world.environment(name)
  }

  resolved<K extends keyof ModelSlices>(key: K): ModelSlices[K] | undefined {
    if (!this.after.includes(key)) throw new TypeError(`to read the result of "${key}", list it in "after"`)
    const model = this.world.results.get(key)?.model
    this.#results ??= new Map()
    this.#results.set(key, model)
    return model as ModelSlices[K] | undefined
  }

  source(key: string, id: string): SourceState {
    const place = placeOf(key, id)
    this.#sources ??= new Set()
    this.#sources.add(place)
    return this.world.sources.get(place) ?? unwanted
  }

  protected record(object: ObjectRef, on: ObjectRef, reason: DependencyReason): void {
    this.dependencies.push({ object, on: this.#interned(on), reason })
  }

  /** Thousands of permissions name the same columns, so equal references share one object. */
  #interned(ref: ObjectRef): ObjectRef {
    const key = objectKey(ref)
    const known = this.#refs.get(key)
    if (known) return known
    this.#refs.set(key, ref)
    // A dependency counts as a read, even if the resolve did not read the table.
    if (ref.table) this.#tables.add(nameKey(ref.table))
    return ref
  }
}

/** The context of a table's facets; dependencies belong to the current object. */
export class FacetContext extends RecordingContext implements ResolveContext {
  object: ObjectRef | null = null
  /** The fields that earlier facets of the stage give to the table. */
  fields: ReadonlyMap<string, FieldModel> = new Map()

  earlierField(name: string): FieldModel | undefined {
    return this.fields.get(name)
  }

  depend(on: ObjectRef, reason: DependencyReason): void {
    if (this.object) this.record(this.object, on, reason)
  }
}

/** Everything that a slice may read. */
export interface SliceWorld extends RecordedWorld {
  /** Keys of table entries whose objects are fields of rows. */
  readonly fieldKeys: readonly string[]
}

/** The context of a slice: it may read other slices and reports broken entries. */
export class RecordingSliceContext extends RecordingContext implements SliceContext {
  readonly inconsistencies: Inconsistency[] = []
  readonly slices = new Map<string, unknown>()
  readonly claims: NameClaim[] = []
  readonly conflicts: NameConflicts[] = []
  readonly #document: MetadataDocument
  readonly #ledger: NameLedger
  readonly #fieldKeys: readonly string[]

  constructor(world: SliceWorld, document: MetadataDocument, ledger: NameLedger) {
    super(world)
    this.#fieldKeys = world.fieldKeys
    this.#document = document
    this.#ledger = ledger
  }

  get sourceNaming(): SourceNaming {
    return sourceNaming(this.slice('source'), this.world)
  }

  get isCamel(): boolean {
    return this.sourceNaming.isCamel
  }

  sourceFieldName(name: string): string {
    return placedField(name, this.sourceNaming)
  }

  sourceTypeName(name: string): string {
    return sourceType(name, this.sourceNaming)
  }

  claimRootFields(
    object: ObjectDescription,
    { query = [], mutation = [] }: Partial<RootFieldNames>,
    wording?: ConflictWording,
  ): boolean {
    return this.#claim(object, { query, mutation, types: [], scalars: [] }, wording)
  }

  claimTypeNames(
    object: ObjectDescription,
    names: readonly string[] | ClaimedTypes,
    wording?: ConflictWording,
  ): boolean {
    const { types = [], scalars = [], schemas }: ClaimedTypes = 'length' in names ? { types: names } : names
    const claimed = { query: [], mutation: [], types, scalars, ...(schemas && { schemas }) }
    return this.#claim(object, claimed, wording)
  }

  #claim(object: ObjectDescription, names: ClaimedNames, wording: ConflictWording | undefined): boolean {
    const { query, mutation, types, scalars } = names
    if (query.length + mutation.length + types.length + scalars.length === 0) return true
    // A field of the source may stand in its namespace.
    const fields = [...query, ...mutation].map((name) => name.slice(name.indexOf('.') + 1))
    const illegal = [...fields, ...types].find((name) => !isGraphQLName(name))
    if (illegal !== undefined) {
      this.report(object, `"${illegal}" is not a valid GraphQL name`)
      return false
    }
    this.claims.push({ names, taken: this.#ledger.taken(names) })
    const conflict = this.#ledger.claim(names)
    if (conflict === null) return true
    const message = wording?.reason(conflict) ?? conflict.message
    this.report(object, message)
    const objects = new Set([objectKey(object.ref)])
    const refusal = wording && ((isOwn: boolean) => wording.refusal(conflict, isOwn))
    this.conflicts.push({ objects, message, ...(refusal && { refusal }) })
    return false
  }

  plainTable(typeName: string): TableModel | undefined {
    const named = rootFieldIndex(this.world.tables).ofType(typeName, this.sourceNaming)
    const table = named && this.table(named.name)
    const entry = table && this.slice('tables').find((each) => sameName(each.table, table.name))
    return entry && this.#fieldKeys.every((key) => memberOf(entry, key) === undefined) ? table : undefined
  }

  report(object: ObjectDescription, reason: string): void {
    this.inconsistencies.push({ ...object, reason })
  }

  reportClash([first, ...others]: readonly ObjectDescription[], reason: string): void {
    if (first) this.inconsistencies.push({ ...first, reason, others, isClash: true })
  }

  depend(object: ObjectRef, on: ObjectRef, reason: DependencyReason): void {
    this.record(object, on, reason)
  }

  slice<K extends keyof MetadataDocument>(key: K): MetadataDocument[K] {
    const value = sliceValue(this.#document, key)
    this.slices.set(key, value)
    return value as MetadataDocument[K]
  }
}
