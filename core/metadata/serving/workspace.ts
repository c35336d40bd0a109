// One editing request's private generations: each operation starts from what the one before left, and nothing is
// published until all of it is committed.

import { createDraft, current, enableArrayMethods, finishDraft } from 'immer'
import type { Catalog } from '../../catalog/types.ts'
import { inTurns } from '../../concurrency/stepwise.ts'
import type { Transaction } from '../../database/transaction.ts'
import { badRequest } from '../../errors/errors.ts'
import { deepFreeze } from '../../json/json.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model } from '../document/model.ts'
import { type ObjectRef, objectKey, type Rename } from '../document/objects.ts'
import type { ConsistencyCheck } from '../resolving/consistency.ts'
import { functionNames } from '../resolving/function-names.ts'
import { modelOf, type Resolution, resolve } from '../resolving/resolve.ts'
import type { ResolveEnvironment } from '../resolving/resolve-context.ts'
import { shareDocument } from '../resolving/sharing.ts'
import { type MetadataRegistry, sliceValue } from '../slices/registry.ts'
import { removeObject } from '../slices/removal.ts'
import { Renames } from '../slices/renames.ts'
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
import type { MetadataState } from './served.ts'
import type { MetadataNotice } from './store.ts'
import { TableReader } from './table-reader.ts'

// Looking for an entry among thousands makes a draft of the one that is found only.
enableArrayMethods()

/** An edit that is being made: the draft, and what may be done beside changing it. */
export interface Edit {
  readonly draft: MetadataDocument
  /** What is to be read from the database again. */
  readonly refreshed: RefreshRequest
  /** What it has renamed, one after another. */
  readonly renamed: readonly Rename[]
  remove(object: ObjectRef): boolean
  rename(rename: Rename): void
  refreshCatalog(names: readonly QualifiedName[] | 'all'): void
}

export interface WorkspaceOptions {
  readonly transaction: Transaction
  readonly registry: MetadataRegistry
  readonly environment: ResolveEnvironment
  readonly state: MetadataState
  /** The version that the model will have when all of it is committed. */
  readonly version: number
  /** What was fetched for it. */
  readonly fetched: readonly FetchedSource[]
}

export class Workspace {
  /** The generation that the next operation starts from. */
  state: MetadataState
  /** Where the tables that entries name are read. */
  readonly tables: TableReader
  readonly #options: WorkspaceOptions
  /** Tables and functions that were read in this request already. */
  readonly #fresh = new Set<string>()
  #readsAll = false
  #changed = false

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.state = options.state
    this.tables = new TableReader(options.transaction)
  }

  /** Whether there is something to store, or for other instances to read again. */
  get changed(): boolean {
    return this.#changed
  }

  /** The tables and functions that were read for what is to be served. */
  get tablesRead(): MetadataNotice['tables'] {
    return this.#readsAll ? 'all' : [...this.#fresh]
  }

  /** What to serve when the transaction has committed. */
  finish(): MetadataState {
    const { version, registry, state: before } = this.#options
    if (!this.#changed) return before
    const { state } = this
    const wanted = wantedSources(registry.sources.values(), state.document)
    const contents = wantedContents(state.contents, wanted)
    const isDone = state.model.resourceVersion === version
    return { ...state, contents, model: isDone ? state.model : modelOf(state.resolution, version) }
  }

  /** Starts an edit of the generation that the one before has left. */
  begin(): Edit {
    const { registry } = this.#options
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

  /** The model that an edit would make as it is now; it goes on. */
  async preview({ draft, refreshed }: Edit): Promise<Model> {
    const document = current(draft)
    const isUntouched = document === this.state.document && refreshed.wanted !== 'all' && refreshed.wanted.size === 0
    return isUntouched ? this.state.model : (await this.#resolve(deepFreeze(document), refreshed)).model
  }

  /** The generation that an edit makes; its draft is done with. */
  resolve({ draft, refreshed }: Edit): Promise<MetadataState> {
    return this.#resolve(finishDraft(draft) as MetadataDocument, refreshed)
  }

  async #resolve(edited: MetadataDocument, refreshed: RefreshRequest): Promise<MetadataState> {
    const before = this.state
    const { registry } = this.#options
    const document = await inTurns(shareDocument(registry, before.document, edited))
    refuseRepeatedEntries(registry, before.document, document)
    const catalog = await this.#readCatalog(document, refreshed.wanted)
    return this.#next(document, catalog)
  }

  /** Has the next edit start from what this one made. */
  accept({ refreshed }: Edit, state: MetadataState): void {
    if (state !== this.state || refreshed.wanted === 'all') this.#changed = true
    this.state = state
  }

  /** Reads tables whose entries changed, once a request, and those that the operation asked for. */
  #readCatalog(document: MetadataDocument, refreshed: Wanted): Promise<Catalog> | Catalog {
    const previous = this.state.catalog
    const known = new Set(this.state.document.tables)
    const edited = document.tables.filter((entry) => !known.has(entry)).map(({ table }) => nameKey(table))
    const isRead = (key: string) => this.#fresh.has(key) && previous.tables.has(key)
    const wanted = refreshed === 'all' ? 'all' : new Set(edited.filter((key) => !isRead(key)).concat(...refreshed))
    const isRemoved = document.tables.length !== this.state.document.tables.length
    const functions = functionNames(this.#options.registry, document)
    if (wanted !== 'all' && wanted.size === 0 && !isRemoved && hasFunctions(previous, functions)) return previous
    const entries = document.tables
    if (wanted === 'all') {
      this.#readsAll = true
      this.tables.forget()
    }
    for (const key of wanted === 'all' ? entries.map(({ table }) => nameKey(table)) : wanted) this.#fresh.add(key)
    const { transaction, environment } = this.#options
    const { vocabulary } = environment
    return readCatalog({ transaction, previous, entries, functions, wanted, vocabulary, tables: this.tables })
  }

  async #next(document: MetadataDocument, catalog: Catalog): Promise<MetadataState> {
    const before = this.state
    const { registry, environment, version, fetched } = this.#options
    const wanted = wantedSources(registry.sources.values(), document)
    const digests = new Map(wanted.map(({ key, id, definition }) => [placeOf(key, id), digestOf(definition)]))
    // Members of a bulk may need one source by several definitions, one after the other.
    const found = fetched.filter(({ place, digest }) => digests.get(place) === digest)
    const contents = found.length > 0 ? withFetched(before.contents, found) : before.contents
    const sources = statesOf(wanted, contents, before.sources)
    if (document === before.document && catalog === before.catalog && sources === before.sources) return before
    const input = { document, catalog, sources }
    const resolution = await inTurns(resolve(input, before.resolution, registry, environment))
    return { ...input, contents, resolution, model: modelOf(resolution, version) }
  }
}

/** What an operation wants read again. */
class RefreshRequest {
  wanted: Set<string> | 'all' = new Set()

  add(names: readonly QualifiedName[] | 'all'): void {
    if (names === 'all') this.wanted = 'all'
    if (names === 'all' || this.wanted === 'all') return
    for (const name of names) this.wanted.add(nameKey(name))
  }
}

/** The net below handlers that do not look for an entry of the same name themselves. */
function refuseRepeatedEntries(registry: MetadataRegistry, before: MetadataDocument, after: MetadataDocument): void {
  for (const slice of registry.slices) {
    const value = sliceValue(after, slice.key)
    if (!slice.entryKey || value === sliceValue(before, slice.key)) continue
    const seen = new Set<string>()
    for (const entry of value as readonly unknown[]) {
      const key = slice.entryKey(entry)
      if (seen.has(key)) {
        const name = slice.entryName?.(entry) ?? key
        throw badRequest('already-exists', slice.keptMessage?.(key) ?? `"${name}" is in ${slice.key} already`)
      }
      seen.add(key)
    }
  }
}

/**
 * Unlike other inconsistencies, a name that two objects give to root fields is refused by every check, unless those who
 * claim it say something else. `object` is what the operation is about.
 */
export function refuseNameConflicts(
  before: Resolution,
  after: Resolution,
  { object, check }: { readonly object: ObjectRef | undefined; readonly check: ConsistencyCheck },
): void {
  const known = new Set(before.conflicts.flatMap(({ objects }) => [...objects]))
  const own = object && objectKey(object)
  for (const { objects, message, refusal } of after.conflicts) {
    if ([...objects].every((key) => known.has(key))) continue
    if (!refusal) throw badRequest('unexpected', message)
    const error = check === 'strict' ? null : refusal(own !== undefined && objects.has(own))
    if (error) throw error
  }
}
