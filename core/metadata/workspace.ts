// One editing request's private generations: each operation starts from what the one before left, and nothing is
// published until all of it is committed.

import { createDraft, current, finishDraft, isDraft } from 'immer'
import type { Catalog } from '../catalog/types.ts'
import type { Transaction } from '../database/transaction.ts'
import { badRequest } from '../errors.ts'
import { nameKey, type QualifiedName } from '../names.ts'
import type { ConsistencyCheck } from '../operations/operation.ts'
import { readCatalog, type Wanted } from './catalog-reader.ts'
import { checkConsistency } from './consistency.ts'
import type { MetadataDocument } from './document.ts'
import type { Model } from './model.ts'
import type { ObjectRef, Rename } from './objects.ts'
import type { MetadataRegistry } from './registry.ts'
import { removeObject } from './removal.ts'
import { Renames } from './renames.ts'
import { modelOf, type Resolution, resolve } from './resolve.ts'
import type { ResolveEnvironment } from './resolve-context.ts'
import { shareDocument } from './sharing.ts'

/** What is served, and everything the next generation is made from. */
export interface MetadataState {
  readonly document: MetadataDocument
  readonly catalog: Catalog
  readonly resolution: Resolution
  readonly model: Model
}

/** What an edit may do beside changing the draft. */
export interface EditTools {
  readonly draft: MetadataDocument
  remove(object: ObjectRef): boolean
  rename(rename: Rename): void
  refreshCatalog(tables: readonly QualifiedName[] | 'all'): void
}

/** How the result of an edit is checked. */
export interface EditCheck {
  readonly check: ConsistencyCheck
  readonly object: ObjectRef | undefined
}

export interface WorkspaceOptions {
  readonly transaction: Transaction
  readonly registry: MetadataRegistry
  readonly environment: ResolveEnvironment
  readonly state: MetadataState
  /** The version that the model will have when all of it is committed. */
  readonly version: number
}

export class Workspace {
  /** The generation that the next operation starts from. */
  state: MetadataState
  readonly #options: WorkspaceOptions
  /** Tables that were read in this request already. */
  readonly #fresh = new Set<string>()
  #changed = false

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.state = options.state
  }

  /** Whether there is something to store, or for other instances to read again. */
  get changed(): boolean {
    return this.#changed
  }

  /** What to serve when the transaction has committed. */
  finish(): MetadataState {
    const { state } = this
    const { version } = this.#options
    if (!this.#changed || state.model.resourceVersion === version) return state
    return { ...state, model: modelOf(state.resolution, version) }
  }

  /** Runs one edit and makes the next generation of it; throws when the check refuses that. */
  async edit<T>(work: (tools: EditTools) => T | Promise<T>, { check, object }: EditCheck): Promise<T> {
    const before = this.state
    const { registry, environment } = this.#options
    const draft = createDraft(before.document) as MetadataDocument
    const renames = new Renames(registry, draft, before.model)
    const refreshed = new RefreshRequest()
    const result = await work({
      draft,
      remove: (target) => removeObject(registry, draft, target),
      rename: (rename) => renames.follow(rename),
      refreshCatalog: (tables) => refreshed.add(tables),
    })
    const plain = isDraft(result) ? (current(result as object) as T) : result
    const document = shareDocument(registry, before.document, finishDraft(draft) as MetadataDocument)
    const catalog = await this.#readCatalog(document, refreshed.wanted)
    this.state = this.#next(document, catalog)
    if (this.state !== before || refreshed.wanted === 'all') this.#changed = true
    if (check !== 'none') refuseRootFieldConflicts(before.resolution, this.state.resolution)
    const { model } = this.state
    const change = { before: before.model.inconsistencies, after: model.inconsistencies, object }
    checkConsistency(check, { ...change, dialect: environment.dialect })
    return plain
  }

  /** Reads tables whose entries changed, once a request, and those that the operation asked for. */
  #readCatalog(document: MetadataDocument, refreshed: Wanted): Promise<Catalog> | Catalog {
    const previous = this.state.catalog
    const known = new Set(this.state.document.tables)
    const edited = document.tables.filter((entry) => !known.has(entry)).map(({ table }) => nameKey(table))
    const wanted =
      refreshed === 'all' ? 'all' : new Set(edited.filter((key) => !this.#fresh.has(key)).concat(...refreshed))
    const isRemoved = document.tables.length !== this.state.document.tables.length
    if (wanted !== 'all' && wanted.size === 0 && !isRemoved) return previous
    const entries = document.tables
    for (const key of wanted === 'all' ? entries.map(({ table }) => nameKey(table)) : wanted) this.#fresh.add(key)
    return readCatalog({ transaction: this.#options.transaction, previous, entries, wanted })
  }

  #next(document: MetadataDocument, catalog: Catalog): MetadataState {
    const before = this.state
    if (document === before.document && catalog === before.catalog) return before
    const { registry, environment, version } = this.#options
    const resolution = resolve({ document, catalog }, before.resolution, registry, environment)
    return { document, catalog, resolution, model: modelOf(resolution, version) }
  }
}

/** The tables that an operation wants read again. */
class RefreshRequest {
  wanted: Set<string> | 'all' = new Set()

  add(tables: readonly QualifiedName[] | 'all'): void {
    if (tables === 'all') this.wanted = 'all'
    if (tables === 'all' || this.wanted === 'all') return
    for (const table of tables) this.wanted.add(nameKey(table))
  }
}

/** Unlike other inconsistencies, a name that two tables give to root fields is refused by every check. */
function refuseRootFieldConflicts(before: Resolution, { conflicts }: Resolution): void {
  if (!conflicts) return
  const isNew = [...conflicts.tables].some((key) => !before.conflicts?.tables.has(key))
  if (isNew) throw badRequest('unexpected', conflicts.message)
}
