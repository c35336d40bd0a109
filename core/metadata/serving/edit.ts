// One edit of the metadata, from the row lock to the generation that is served after the commit. A request has one
// edit. Each of its operations is a step, which starts from the generation of the previous step. Nothing is served
// before the commit.

import { createDraft, current, enableArrayMethods, finishDraft } from 'immer'
import type { Catalog } from '../../catalog/types.ts'
import { inTurns, mapSteps, type Steps, TurnTaker } from '../../concurrency/stepwise.ts'
import type { Transaction } from '../../database/transaction.ts'
import { badRequest, internalError } from '../../errors/errors.ts'
import { deepFreeze } from '../../json/json.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { MetadataDocument } from '../document/document.ts'
import { listChange } from '../document/list-change.ts'
import type { Model } from '../document/model.ts'
import { type ObjectRef, objectKey, type Rename } from '../document/objects.ts'
import { tableEntries } from '../document/table-entries.ts'
import type { ConsistencyCheck } from '../resolving/consistency.ts'
import { functionNames } from '../resolving/function-names.ts'
import { modelOf, type Resolution, resolve } from '../resolving/resolve.ts'
import type { ResolveEnvironment } from '../resolving/resolve-context.ts'
import { shareDocument } from '../resolving/sharing.ts'
import { conflictText, isAboutRootFields, type Wording } from '../resolving/wording.ts'
import type { DocumentParts } from '../slices/parts.ts'
import type { Author, RecordedChange } from '../slices/recorder.ts'
import { type MetadataRegistry, sliceEntries } from '../slices/registry.ts'
import { removeObject } from '../slices/removal.ts'
import { Renames } from '../slices/renames.ts'
import type { ModelChange } from '../slices/slices.ts'
import {
  digestOf,
  type FetchedSource,
  placeOf,
  statesOf,
  wantedContents,
  wantedSources,
  withFetched,
} from '../slices/sources.ts'
import { hasFunctions, readCatalog, type Wanted } from './catalog-reader.ts'
import type { SourceStore } from './source-store.ts'
import type { MetadataState } from './state.ts'
import type { MetadataNotice, MetadataStore } from './store.ts'
import { TableReader } from './table-reader.ts'

// With this, a search in an array of thousands creates a draft only of the entry that it finds.
enableArrayMethods()

/** The edit of one operation: the draft, and the other ways to change the metadata. */
export interface EditStep {
  readonly draft: MetadataDocument
  /** Tables and functions to read from the database again. */
  readonly refreshed: RefreshRequest
  /** Renames of the step, in order. */
  readonly renamed: readonly Rename[]
  remove(object: ObjectRef): boolean
  rename(rename: Rename): void
  refreshCatalog(names: readonly QualifiedName[] | 'all'): void
}

/** The parts of the served metadata that an edit works with. */
export interface EditedMetadata {
  readonly registry: MetadataRegistry
  readonly parts: DocumentParts
  readonly environment: ResolveEnvironment
  readonly store: MetadataStore
  readonly sourceStore: SourceStore
  /** The id of this instance in notices. */
  readonly instance: string
  /** Locks the stored metadata until the transaction ends, and serves it; returns its version. */
  lock(transaction: Transaction): Promise<number>
  state(): MetadataState
  /** Runs the effects of plugins for a model. */
  follow(change: ModelChange): Promise<void>
}

export class MetadataEdit {
  readonly transaction: Transaction
  readonly #served: EditedMetadata
  readonly #given: () => readonly FetchedSource[]
  /** Reads the tables that entries name. */
  readonly tables: TableReader
  /** Tables and functions that this edit has read. */
  readonly #fresh = new Set<string>()
  #fetched: readonly FetchedSource[] = []
  #before: MetadataState | null = null
  #state: MetadataState | null = null
  /** The version that the store has. */
  #stored = 0
  /** The model that the effects last ran for. */
  #followed: Model | null = null
  /** The document that the transaction sees in the store. */
  #written: MetadataDocument | null = null
  #readsAll = false
  #changed = false
  #isSaved = false
  #notice: MetadataNotice | null = null

  /** `fetched` returns the sources fetched for the edit; it is called just before the row lock is taken. */
  constructor(transaction: Transaction, served: EditedMetadata, fetched: () => readonly FetchedSource[]) {
    this.transaction = transaction
    this.#served = served
    this.#given = fetched
    this.tables = new TableReader(transaction)
  }

  /** Takes the row lock, and begins with the stored generation; returns its version. */
  async open(): Promise<number> {
    const fetched = this.#given()
    this.#stored = await this.#served.lock(this.transaction)
    this.#fetched = fetched
    this.#before = this.#state = this.#served.state()
    this.#followed = this.#before.model
    this.#written = this.#before.document
    return this.#stored
  }

  /** The generation that the next step starts from. */
  get state(): MetadataState {
    if (!this.#state) throw new TypeError('the edit is not open')
    return this.#state
  }

  /** Whether there is something to store, or for other instances to reload. */
  get changed(): boolean {
    return this.#changed
  }

  /** The notice of the stored changes; null if nothing was stored. */
  get notice(): MetadataNotice | null {
    return this.#notice
  }

  get #version(): number {
    return this.#stored + 1
  }

  /** Runs the effects of the steps so far, for an operation that reads or writes rows. */
  async follow(): Promise<void> {
    const { model } = this.state
    if (model === this.#followed) return
    await this.#served.follow({ previous: this.#followed, next: model, isReread: false, transaction: this.transaction })
    this.#followed = model
  }

  /** Writes the entries of the steps so far, for statements that read the store. */
  async store(): Promise<void> {
    const next = this.state.document
    const previous = this.#written
    if (!previous || next === previous) return
    await this.#served.store.save(this.transaction, { previous, next, version: this.#version })
    this.#written = next
  }

  /** Runs the effects, stores and records the changes, and notifies other instances at the commit. */
  async save(author: Author | null = null): Promise<void> {
    if (!this.#changed) return
    const { transaction } = this
    const { store, sourceStore, instance } = this.#served
    const [before, stored] = [this.#before!, this.#written!]
    this.#isSaved = true
    const after = this.finish()
    const tables = this.#readsAll ? 'all' : [...this.#fresh]
    await this.#served.follow({ previous: this.#followed, next: after.model, isReread: this.#readsAll, transaction })
    const version = after.model.resourceVersion
    await store.save(transaction, { previous: stored, next: after.document, version })
    await sourceStore.save(transaction, before.contents.stored, after.contents.stored)
    await this.#record(before.document, after.document, { version, author })
    this.#notice = { instance, version, tables }
    await store.notify(transaction, this.#notice)
  }

  async #record(
    before: MetadataDocument,
    after: MetadataDocument,
    cause: Pick<RecordedChange, 'version' | 'author'>,
  ): Promise<void> {
    const { registry, parts } = this.#served
    if (registry.recorders.length === 0 || before === after) return
    const changes = await inTurns(parts.changes(before, after))
    if (changes.length === 0) return
    for (const record of registry.recorders) await record({ ...cause, changes, transaction: this.transaction })
  }

  /** The generation to serve once the transaction has committed. An edit that was not saved keeps the stored version. */
  finish(): MetadataState {
    if (!this.#changed) return this.#before!
    const { registry } = this.#served
    const { state } = this
    const version = this.#isSaved ? this.#version : this.#stored
    const wanted = wantedSources(registry.sources.values(), state.document)
    const contents = wantedContents(state.contents, wanted)
    const isDone = state.model.resourceVersion === version
    return { ...state, contents, model: isDone ? state.model : modelOf(state.resolution, version) }
  }

  /** Remembers the edit so far; the result restores it, after the transaction was rolled back to the same point. */
  mark(): () => void {
    const [state, followed, written] = [this.#state, this.#followed, this.#written]
    const [changed, readsAll, fresh] = [this.#changed, this.#readsAll, [...this.#fresh]]
    return () => {
      this.#state = state
      this.#followed = followed
      this.#written = written
      this.#changed = changed
      this.#readsAll = readsAll
      this.#fresh.clear()
      for (const key of fresh) this.#fresh.add(key)
      this.tables.forget()
    }
  }

  /** Begins a step. */
  begin(): EditStep {
    const { registry } = this.#served
    const { document, model } = this.state
    const draft = createDraft(document) as MetadataDocument
    const renames = new Renames(registry, draft, model)
    const refreshed = new RefreshRequest()
    const renamed: Rename[] = []
    return {
      draft,
      refreshed,
      renamed,
      remove: (target) => removeObject(registry, draft, target),
      rename(rename) {
        renames.follow(rename)
        renamed.push(rename)
      },
      refreshCatalog: (names) => refreshed.add(names),
    }
  }

  /** The model that a step would make in its current state; the step continues. */
  async preview({ draft, refreshed }: EditStep): Promise<Model> {
    const document = current(draft)
    const isUntouched = document === this.state.document && refreshed.wanted !== 'all' && refreshed.wanted.size === 0
    return isUntouched ? this.state.model : (await this.#resolve(deepFreeze(document), refreshed)).model
  }

  /** The generation that a step would make. Nothing of it is kept; it ends the draft. */
  async rehearse(step: EditStep): Promise<MetadataState> {
    const [fresh, readsAll] = [[...this.#fresh], this.#readsAll]
    try {
      return await this.resolve(step)
    } finally {
      this.#fresh.clear()
      for (const key of fresh) this.#fresh.add(key)
      this.#readsAll = readsAll
    }
  }

  /** The generation that a step makes; it ends the draft. */
  resolve({ draft, refreshed }: EditStep): Promise<MetadataState> {
    return this.#resolve(finishDraft(draft) as MetadataDocument, refreshed)
  }

  async #resolve(edited: MetadataDocument, refreshed: RefreshRequest): Promise<MetadataState> {
    const before = this.state
    const { registry } = this.#served
    const document = await inTurns(shareDocument(registry, before.document, edited))
    await inTurns(refuseRepeatedEntries(registry, before.document, document))
    const catalog = await this.#readCatalog(document, refreshed.wanted)
    return this.#next(document, catalog)
  }

  /** Makes a step's generation the start of the next step. */
  accept({ refreshed }: EditStep, state: MetadataState): void {
    if (state !== this.state || refreshed.wanted === 'all') this.#changed = true
    this.#state = state
  }

  /** Reads tables whose entries changed, once per request, and tables that the operation asked for. */
  async #readCatalog(document: MetadataDocument, refreshed: Wanted): Promise<Catalog> {
    const turns = new TurnTaker()
    const previous = this.state.catalog
    const before = this.state.document
    const edited = listChange(before.tables, document.tables).added.map(({ table }) => nameKey(table))
    await turns.next()
    const isRead = (key: string) => this.#fresh.has(key) && previous.tables.has(key)
    const wanted = refreshed === 'all' ? 'all' : new Set(edited.filter((key) => !isRead(key)).concat(...refreshed))
    const isRemoved = document.tables.length !== before.tables.length
    const functions = functionNames(this.#served.registry, document, before)
    if (wanted !== 'all' && wanted.size === 0 && !isRemoved && hasFunctions(previous, functions)) return previous
    await turns.next()
    const entries = tableEntries(document.tables, before.tables)
    await turns.next()
    if (wanted === 'all') {
      this.#readsAll = true
      this.tables.forget()
    }
    for (const key of wanted === 'all' ? entries.keys() : wanted) this.#fresh.add(key)
    const { transaction } = this
    const { vocabulary } = this.#served.environment
    return readCatalog({ transaction, previous, entries, functions, wanted, vocabulary, tables: this.tables })
  }

  async #next(document: MetadataDocument, catalog: Catalog): Promise<MetadataState> {
    const before = this.state
    const { registry, environment } = this.#served
    const fetched = this.#fetched
    const wanted = wantedSources(registry.sources.values(), document)
    const digests = new Map(wanted.map(({ key, id, definition }) => [placeOf(key, id), digestOf(definition)]))
    // A bulk may need one source under several definitions in turn.
    const found = fetched.filter(({ place, digest }) => digests.get(place) === digest)
    const contents = found.length > 0 ? withFetched(before.contents, found) : before.contents
    const sources = statesOf(wanted, contents, before.sources)
    if (document === before.document && catalog === before.catalog && sources === before.sources) return before
    const input = { document, catalog, sources }
    const resolution = await inTurns(resolve(input, before.resolution, registry, environment))
    return { ...input, contents, resolution, model: modelOf(resolution, this.#version) }
  }
}

/** The objects that an operation wants to read again. */
class RefreshRequest {
  wanted: Set<string> | 'all' = new Set()

  add(names: readonly QualifiedName[] | 'all'): void {
    if (names === 'all') this.wanted = 'all'
    if (names === 'all' || this.wanted === 'all') return
    for (const name of names) this.wanted.add(nameKey(name))
  }
}

/** A safety net for handlers that do not check for an entry of the same name. */
function* refuseRepeatedEntries(
  registry: MetadataRegistry,
  before: MetadataDocument,
  after: MetadataDocument,
): Steps<void> {
  for (const slice of registry.slices) {
    const { key: of, entryKey } = slice
    if (!entryKey) continue
    const entry = yield* repeatedEntry(sliceEntries(before, of), sliceEntries(after, of), entryKey)
    if (entry === undefined) continue
    const key = entryKey(entry)
    const name = slice.entryName?.(entry) ?? key
    throw badRequest('already-exists', slice.keptMessage?.(key) ?? `"${name}" is in ${of} already`)
  }
}

/** An entry whose key an earlier one has; undefined without one. `before` is free of such entries. */
function* repeatedEntry(
  before: readonly unknown[],
  after: readonly unknown[],
  keyOf: (entry: unknown) => string,
): Steps<unknown> {
  const { gone, added } = listChange(before, after)
  // Entries that take the places and keys of others repeat nothing.
  if (gone.length === added.length) {
    const freed = new Set(yield* mapSteps(gone, keyOf))
    const taken = new Set(yield* mapSteps(added, keyOf))
    if (taken.size === added.length && [...taken].every((key) => freed.has(key))) return undefined
  }
  const seen = new Set<string>()
  for (const entry of after) {
    if (seen.size === seen.add(keyOf(entry)).size) return entry
    yield
  }
  return undefined
}

/**
 * Unlike other inconsistencies, conflicts about root field names are refused by every check, unless the claiming slice
 * words them otherwise. `object` is the subject of the operation.
 */
export function refuseNameConflicts(
  before: Resolution,
  after: Resolution,
  {
    object,
    check,
    wording,
  }: { readonly object: ObjectRef | undefined; readonly check: ConsistencyCheck; readonly wording: Wording },
): void {
  const known = new Set(before.conflicts.flatMap(({ objects }) => [...objects]))
  const own = object && objectKey(object)
  for (const { objects, message, refusal } of after.conflicts) {
    if ([...objects].every((key) => known.has(key))) continue
    if (!refusal) {
      if (wording.interface !== '2' || !isAboutRootFields(message)) throw badRequest('unexpected', message)
      throw internalError(conflictText(message, wording))
    }
    // Interface 2 has the same words for all that makes an object inconsistent.
    const isChecked = check === 'strict' || wording.interface === '2'
    const error = isChecked ? null : refusal(own !== undefined && objects.has(own))
    if (error) throw error
  }
}
