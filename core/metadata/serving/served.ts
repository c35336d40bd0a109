// The metadata of one instance: the generation being served. It is replaced by operations, by changes of other
// instances, and by a full reload.

import { randomUUID } from 'node:crypto'
import type { Vocabulary } from '../../compiler/types/vocabulary.ts'
import { Mutex } from '../../concurrency/mutex.ts'
import { atOnce, inTurns } from '../../concurrency/stepwise.ts'
import { Within } from '../../concurrency/within.ts'
import { alone, type Workers } from '../../concurrency/workers.ts'
import type { Database } from '../../database/database.ts'
import { despiteConflicts } from '../../database/placing/conflicts.ts'
import type { Transaction } from '../../database/transaction.ts'
import { namesMissingObject } from '../../database/wire/postgres-errors.ts'
import { TrellisError } from '../../errors/errors.ts'
import { messageWithCause, stackOf } from '../../errors/thrown.ts'
import type { Observer } from '../../log/observe.ts'
import type { Dialect } from '../../names/dialect.ts'
import { type Variables, variableIn } from '../../options/referable-variables.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model } from '../document/model.ts'
import { tableEntries } from '../document/table-entries.ts'
import type { ColumnTransforms } from '../resolving/column-transforms.ts'
import { inconsistencyJson } from '../resolving/consistency.ts'
import { functionNames } from '../resolving/function-names.ts'
import { modelOf, resolve } from '../resolving/resolve.ts'
import type { ResolveEnvironment } from '../resolving/resolve-context.ts'
import { shareDocument } from '../resolving/sharing.ts'
import { formerWording } from '../resolving/wording.ts'
import { DeclaredFormat, type DocumentFormat } from '../slices/document-format.ts'
import { DocumentParts } from '../slices/parts.ts'
import { emptyDocument, type MetadataRegistry } from '../slices/registry.ts'
import type { ModelChange } from '../slices/slices.ts'
import { type FetchedSource, noContents, type SourceStates, statesOf, wantedSources } from '../slices/sources.ts'
import { renewalTimeout, startLockTimeout, workerTimeout } from '../tuning.ts'
import { readCatalog } from './catalog-reader.ts'
import { type EditedMetadata, MetadataEdit } from './edit.ts'
import { Reconciliation } from './reconciliation.ts'
import { SourceStore } from './source-store.ts'
import type { MetadataState } from './state.ts'
import { type MetadataNotice, MetadataStore } from './store.ts'
import { MetadataSync } from './sync.ts'

export interface ServedMetadataOptions {
  readonly database: Database
  readonly dialect: Dialect
  readonly observe: Observer
  readonly registry: MetadataRegistry
  readonly vocabulary: Vocabulary
  /** The transformations of columns, if plugins declare any. */
  readonly transforms?: ColumnTransforms
  /** Whether a source that names no convention has names in camel case. Absent: no. */
  readonly isCamelByDefault?: boolean
  /** Environment variables that metadata may refer to. */
  readonly variables: Variables
  /** The processes that serve the same port; absent: this one alone. */
  readonly workers?: Workers
}

/** The part of a notice that describes a change. */
type StoredChange = Pick<MetadataNotice, 'version' | 'tables'>

/** Options of an edit. */
export interface EditOptions {
  /** Aborts the edit. */
  readonly signal?: AbortSignal | null
  /** Returns the sources fetched for the edit. */
  readonly fetched?: () => readonly FetchedSource[]
  /** Called after the commit, before the new generation is served. */
  readonly onCommit?: () => void
}

export class ServedMetadata {
  readonly format: DocumentFormat
  readonly parts: DocumentParts
  /** The environment of resolving, apart from document and catalog. */
  readonly resolving: ResolveEnvironment
  /** Orders everything that replaces the generation. */
  readonly #editing = new Mutex()
  readonly #withinEdit = new Within()
  readonly #options: ServedMetadataOptions
  readonly #store: MetadataStore
  readonly #sourceStore: SourceStore
  readonly #sync: MetadataSync
  readonly #reconciliation: Reconciliation
  readonly #instance = randomUUID()
  readonly #workers: Workers
  readonly #listeners: ((model: Model) => void)[] = []
  /** Called once with the next generation. */
  readonly #expecting = new Set<() => void>()
  #state: MetadataState | null = null
  #isStarted = false

  constructor(options: ServedMetadataOptions) {
    const { database, dialect, observe, registry, vocabulary, transforms, isCamelByDefault = false } = options
    this.#options = options
    this.#workers = options.workers ?? alone
    this.#workers.answer('version', (change) => this.#serveChange(change as StoredChange))
    this.resolving = {
      ...{ dialect, vocabulary, isCamelByDefault, environment: variableIn(options.variables) },
      ...(transforms && { transforms }),
    }
    this.format = new DeclaredFormat(registry, dialect, (message, detail) => this.warn(message, detail))
    this.parts = new DocumentParts(registry)
    this.#store = new MetadataStore(registry, this.format)
    this.#sourceStore = new SourceStore(registry)
    this.#reconciliation = new Reconciliation({
      attempt: () => this.#reconcile(),
      warn: (message, info) => this.warn(message, info),
    })
    this.#sync = new MetadataSync({
      database,
      instance: this.#instance,
      storedVersion: () => this.#store.version(database),
      onVersion: (version, tables) => this.#catchUp(version, tables),
      onProblem: (error) => {
        const message = `metadata changes of other instances may be noticed late: ${messageWithCause(error)}`
        observe.log({ type: 'pg-client', level: 'warn', detail: { message } })
      },
    })
  }

  get model(): Model {
    return this.state.model
  }

  get document(): MetadataDocument {
    return this.state.document
  }

  get state(): MetadataState {
    this.#state ??= this.#emptyState()
    return this.#state
  }

  /** Reads document and catalog, and serves the consistent part. */
  async start(): Promise<void> {
    this.#state = null
    this.#isStarted = true
    await this.reload()
    await this.#reconciliation.start()
    this.#sync.start()
  }

  /** Runs the effects of plugins for the first model; one instance at a time. */
  async #reconcile(): Promise<void> {
    const { database, registry } = this.#options
    if (registry.effects.length === 0) return
    const work = async (transaction: Transaction) => {
      // Takes no snapshot: it would be older than the changes that the lock waits for.
      const [row] = await transaction.rows<{ transaction_read_only: string }>('show transaction_read_only')
      // A standby receives the result by replication.
      if (row?.transaction_read_only === 'on') return
      const stored = await this.#store.lockWithin(transaction, startLockTimeout)
      if (stored !== this.state.model.resourceVersion) this.#publish(await this.#load(transaction))
      await this.#follow({ previous: null, next: this.state.model, isReread: true, transaction })
    }
    await this.#editing.run((since) => despiteConflicts(() => database.transaction(work, { since })))
  }

  async stop(): Promise<void> {
    this.#reconciliation.stop()
    await this.#sync.stop()
    await this.#editing.run(async () => {})
  }

  /** Calls back after each change of the model. */
  onChange(listener: (model: Model) => void): void {
    this.#listeners.push(listener)
  }

  /** Reads document and catalog again, and serves the result. */
  async reload(): Promise<void> {
    await this.#editing.run((since) => this.#reload(since))
  }

  /** The document in the store as the transaction sees it, including inconsistent objects. */
  async readStoredDocument(transaction: Transaction): Promise<MetadataDocument> {
    return (await this.#store.load(transaction)).document
  }

  /** The stored version, written by this or another instance. */
  storedVersion(reader: Pick<Transaction, 'rows'> = this.#options.database): Promise<number> {
    return this.#store.version(reader)
  }

  /** Runs an edit, and serves its generation after the commit: one at a time, in this process and among instances. */
  async edit<T>(work: (edit: MetadataEdit) => Promise<T>, options: EditOptions = {}): Promise<T> {
    // It would wait for the outer edit, which waits for it.
    if (this.#withinEdit.isInside) throw new Error('an edit cannot run another edit before its commit: use afterCommit')
    const { result, notice } = await this.#edit(work, options)
    if (notice && this.#workers.count > 1) await this.#tellWorkers(notice)
    return result
  }

  #edit<T>(
    work: (edit: MetadataEdit) => Promise<T>,
    { signal = null, fetched = () => [], onCommit }: EditOptions,
  ): Promise<{ readonly result: T; readonly notice: MetadataNotice | null }> {
    const { database, registry } = this.#options
    const served: EditedMetadata = {
      ...{
        registry,
        parts: this.parts,
        environment: this.resolving,
        store: this.#store,
        sourceStore: this.#sourceStore,
      },
      instance: this.#instance,
      lock: (transaction) => this.#lock(transaction),
      state: () => this.state,
      follow: (change) => this.#follow(change),
    }
    return this.#editing.run(async (since) => {
      const inTransaction = async (transaction: Transaction) => {
        const edit = new MetadataEdit(transaction, served, fetched)
        const result = await this.#withinEdit.run(() => work(edit))
        return { result, state: edit.finish(), notice: edit.notice }
      }
      const done = await despiteConflicts(() => database.transaction(inTransaction, { signal, since }))
      onCommit?.()
      this.#publish(done.state)
      return done
    })
  }

  /** Waits until the other workers serve a change: the next request of the same client may reach any of them. */
  async #tellWorkers({ version, tables }: MetadataNotice): Promise<void> {
    const { missing } = await this.#workers.ask('version', { version, tables } satisfies StoredChange, workerTimeout)
    if (missing.length === 0) return
    const late = missing.length === 1 ? `worker ${missing[0]} does` : `workers ${missing.join(', ')} do`
    this.warn(`${late} not serve the metadata of version ${version} yet`, { version, workers: missing })
  }

  /** Resolves once a change of another worker is served, or a later one. */
  async #serveChange({ version, tables }: StoredChange): Promise<null> {
    // The first model is read later, and has the change.
    if (!this.#isStarted || this.model.resourceVersion >= version) return null
    const { promise, resolve } = Promise.withResolvers<void>()
    const expected = () => this.model.resourceVersion >= version && resolve()
    this.#expecting.add(expected)
    // An edit of this worker may take long, but serves the change as soon as it has the lock.
    await Promise.race([promise, this.#catchUp(version, tables)]).finally(() => this.#expecting.delete(expected))
    return null
  }

  /** Blocks other editors until the transaction ends, and serves the stored generation; returns its version. */
  async #lock(transaction: Transaction): Promise<number> {
    const stored = await this.#store.lock(transaction)
    // Another instance has committed, or the outcome of a commit of this one never arrived.
    if (stored !== this.state.model.resourceVersion) this.#publish(await this.#load(transaction))
    return stored
  }

  async #follow(change: ModelChange): Promise<void> {
    for (const effect of this.#options.registry.effects) await effect(change)
  }

  /**
   * Whether a statement of a model failed because the metadata and the database have changed since. If so, the current
   * metadata is served.
   */
  async isOutdated(model: Model, error: unknown): Promise<boolean> {
    if (!namesMissingObject(error)) return false
    // If the check fails, the original error is reported.
    if (this.model === model) await this.#renew().catch(() => {})
    return this.model !== model
  }

  /**
   * Serves the stored metadata unless that takes too long. Between the commit of a local change and its publication
   * there is a short gap.
   */
  async #renew(): Promise<void> {
    const version = await this.#store.version(this.#options.database)
    if (version === this.model.resourceVersion) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#expecting.add(resolve)
    const timer = setTimeout(resolve, renewalTimeout)
    // The effects of other instances take as long as their changes do.
    await Promise.race([promise, this.#catchUp(version, 'all')]).finally(() => {
      clearTimeout(timer)
      this.#expecting.delete(resolve)
    })
  }

  /** Serves another instance's change unless it is already served. */
  async #catchUp(version: number, tables: MetadataNotice['tables']): Promise<void> {
    if (version === this.state.model.resourceVersion) return
    await this.#editing.run(async (since) => {
      if (version !== this.state.model.resourceVersion) await this.#reload(since, { version, tables })
    })
  }

  async #reload(since: number, change?: StoredChange): Promise<void> {
    const work = (transaction: Transaction) => this.#load(transaction, change)
    this.#publish(await this.#options.database.transaction(work, { isolation: 'repeatable-read', since }))
  }

  /** The stored state. Stored values are validated against the declared schemas only when resolving fails. */
  async #load(transaction: Transaction, change?: StoredChange): Promise<MetadataState> {
    try {
      return await this.#loadReadable(transaction, change)
    } catch (error) {
      const problemOf = (key: string, value: unknown) => this.format.problemOf(key, value)
      if (error instanceof TrellisError || !this.#store.setAside(problemOf)) throw error
      return this.#loadReadable(transaction, change)
    }
  }

  /**
   * The stored document and catalog, freshly read; equal parts are shared. If the store is exactly one known change
   * ahead, only the tables of that change are read.
   */
  async #loadReadable(transaction: Transaction, change?: StoredChange): Promise<MetadataState> {
    const before = this.state
    const { registry, database } = this.#options
    const { document: stored, resourceVersion } = await this.#store.load(transaction)
    const document = await inTurns(shareDocument(registry, before.document, stored))
    const { serverVersion } = database
    const previous =
      before.catalog.serverVersion === serverVersion ? before.catalog : { ...before.catalog, serverVersion }
    const isNext = resourceVersion === change?.version && resourceVersion === before.model.resourceVersion + 1
    const wanted = isNext && change.tables !== 'all' ? new Set(change.tables) : 'all'
    const functions = functionNames(registry, document, before.document)
    const { vocabulary } = this.resolving
    const catalog = await readCatalog({
      transaction,
      previous,
      entries: tableEntries(document.tables, before.document.tables),
      functions,
      wanted,
      vocabulary,
    })
    const sourceValues = await this.#sourceStore.load(transaction, before.contents.stored)
    const contents = { ...before.contents, stored: sourceValues }
    const sources = statesOf(wantedSources(registry.sources.values(), document), contents, before.sources)
    const isSame = document === before.document && catalog === before.catalog && sources === before.sources
    if (isSame && resourceVersion === before.model.resourceVersion) return before
    const resolution = isSame
      ? before.resolution
      : await inTurns(resolve({ document, catalog, sources }, before.resolution, registry, this.resolving))
    return { document, catalog, contents, sources, resolution, model: modelOf(resolution, resourceVersion) }
  }

  #emptyState(): MetadataState {
    const { registry } = this.#options
    const document = emptyDocument(registry)
    const catalog = { tables: new Map(), functions: new Map(), serverVersion: 0 }
    const sources: SourceStates = new Map()
    const resolution = atOnce(resolve({ document, catalog, sources }, null, registry, this.resolving))
    return { document, catalog, contents: noContents, sources, resolution, model: modelOf(resolution, -1) }
  }

  /** Serves a generation from now on. */
  #publish(state: MetadataState): void {
    const before = this.state
    if (state === before) return
    this.#state = state
    for (const resolve of this.#expecting) resolve()
    this.#logInconsistencies(before.model, state.model)
    for (const listener of this.#listeners) void this.attempt(() => listener(state.model))
  }

  #logInconsistencies(before: Model, { inconsistencies }: Model): void {
    const known = new Set(before.inconsistencies)
    if (inconsistencies.every((each) => known.has(each))) return
    const objects = inconsistencies.map((each) =>
      inconsistencyJson(each, { dialect: this.#options.dialect, wording: formerWording }),
    )
    this.warn('Inconsistent Metadata!', { objects })
  }

  /** Logs a warning for the administrator. */
  warn(message: string, info: unknown): void {
    this.#options.observe.log({ type: 'metadata', level: 'warn', detail: { message, info } })
  }

  /** Runs work that follows a completed change: a failure is logged and has no other effect. */
  async attempt(work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const detail = `after a metadata change: ${stackOf(error)}`
      this.#options.observe.log({ type: 'unstructured', level: 'error', detail })
    }
  }
}
