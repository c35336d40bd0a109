// The metadata of one instance: the generation being served, and the ways in which it is replaced: by an operation, by
// another instance's change, by reading everything again.

import { randomUUID } from 'node:crypto'
import { eitherSignal } from '../concurrency/aborting.ts'
import { Mutex } from '../concurrency/mutex.ts'
import { atOnce, inTurns } from '../concurrency/stepwise.ts'
import type { Database } from '../database/database.ts'
import type { Transaction } from '../database/transaction.ts'
import type { MetadataWork, Wrapping } from '../engine/wrapping.ts'
import { TrellisError } from '../errors/errors.ts'
import type { Observer } from '../log/observe.ts'
import type { Dialect } from '../names/dialect.ts'
import { type Run, runCall } from '../operations/dispatch.ts'
import { accessMode, authorize, type Call, decodeEnvelope, editsMetadata, namedTables } from '../operations/envelope.ts'
import type { OperationRegistry } from '../operations/registry.ts'
import { environment as processEnvironment } from '../options/environment.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import { readCatalog } from './catalog-reader.ts'
import { inconsistencyJson } from './consistency.ts'
import type { MetadataDocument } from './document.ts'
import { DocumentFormat } from './document-format.ts'
import { functionNames } from './function-names.ts'
import type { Model } from './model.ts'
import { emptyDocument, type MetadataRegistry } from './registry.ts'
import { modelOf, resolve } from './resolve.ts'
import type { ResolveEnvironment } from './resolve-context.ts'
import type { MetadataService } from './service.ts'
import { shareDocument } from './sharing.ts'
import { type MetadataNotice, MetadataStore } from './store.ts'
import { MetadataSync } from './sync.ts'
import { type MetadataState, Workspace } from './workspace.ts'

export interface MetadataServiceOptions {
  readonly database: Database
  readonly dialect: Dialect
  readonly observe: Observer
  readonly registry: MetadataRegistry
  readonly operations: OperationRegistry
  readonly sessionSettings: Pick<SessionSettings, 'apply'>
  readonly wrapping: Pick<Wrapping, 'metadata'>
  /** Environment variables that metadata may refer to; absent: those of the process when it started. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** A service that is started once all plugins have declared their parts. */
export interface RunningMetadataService extends MetadataService {
  /** Reads document and catalog, and serves what is consistent. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Makes the service; it serves an empty model until it is started. */
export const createMetadataService = (options: MetadataServiceOptions): RunningMetadataService => new Metadata(options)

/** What a notice says of a change. */
type StoredChange = Pick<MetadataNotice, 'version' | 'tables'>

interface Outcome {
  readonly result: unknown
  readonly state: MetadataState
  readonly afterCommit: Run['afterCommit']
}

class Metadata implements RunningMetadataService {
  readonly format: DocumentFormat
  readonly #options: MetadataServiceOptions
  readonly #environment: ResolveEnvironment
  readonly #store: MetadataStore
  readonly #sync: MetadataSync
  readonly #instance = randomUUID()
  /** Held by whoever replaces the generation. */
  readonly #editing = new Mutex()
  readonly #listeners: ((model: Model) => void)[] = []
  #state: MetadataState | null = null

  constructor(options: MetadataServiceOptions) {
    const { database, dialect, observe, registry } = options
    const variables = options.environment ?? { ...processEnvironment }
    const environment = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined)
    this.#options = options
    this.#environment = { dialect, environment }
    this.#store = new MetadataStore(registry)
    this.format = new DocumentFormat(registry, dialect, (message, detail) => this.#warn(message, detail))
    this.#sync = new MetadataSync({
      database,
      instance: this.#instance,
      storedVersion: () => this.#store.version(database),
      onVersion: (version, tables) => this.#catchUp(version, tables),
      onProblem: (error) => {
        const message = `metadata changes of other instances cannot be seen: ${(error as Error).message}`
        observe.log({ type: 'pg-client', level: 'warn', detail: { message } })
      },
    })
  }

  get model(): Model {
    return this.#current.model
  }

  get document(): MetadataDocument {
    return this.#current.document
  }

  get #current(): MetadataState {
    this.#state ??= this.#emptyState()
    return this.#state
  }

  async start(): Promise<void> {
    this.#state = null
    await this.reload()
    this.#sync.start()
  }

  async stop(): Promise<void> {
    await this.#sync.stop()
    await this.#editing.run(async () => {})
  }

  exportDocument(): Record<string, unknown> {
    return this.format.write(this.document)
  }

  onChange(listener: (model: Model) => void): void {
    this.#listeners.push(listener)
  }

  async reload(): Promise<void> {
    await this.#editing.run(() => this.#reload())
  }

  async readStoredDocument(transaction: Transaction): Promise<MetadataDocument> {
    return (await this.#store.load(transaction)).document
  }

  async run(envelope: unknown, session: Session, whenUnwanted?: () => AbortSignal): Promise<unknown> {
    const call = await decodeEnvelope(envelope, this.#options.operations)
    authorize(call, session)
    const work: MetadataWork = { session, type: call.operation.type, signal: null }
    const around = this.#options.wrapping.metadata
    const run = () => this.#run(call, work, whenUnwanted)
    return around ? around(work, run) : run()
  }

  async #run(call: Call, work: MetadataWork, whenUnwanted?: () => AbortSignal): Promise<unknown> {
    const readOnly = accessMode(call) !== 'READ WRITE'
    const isEdit = editsMetadata(call)
    if (readOnly && whenUnwanted) work.signal = eitherSignal(work.signal, whenUnwanted())
    const { result, afterCommit } = isEdit
      ? await this.#editing.run(() => this.#runEdit(call, work))
      : await this.#runRead(call, work, readOnly)
    for (const callback of afterCommit) await this.#attempt(callback)
    return result
  }

  /** Runs without keeping others from editing: on the generation that is served when it begins. */
  async #runRead(call: Call, { session, signal }: MetadataWork, readOnly: boolean): Promise<Outcome> {
    const state = this.#current
    const work = async (transaction: Transaction) => {
      await this.#options.sessionSettings.apply(session, transaction)
      const run: Run = { session, transaction, state, workspace: null, afterCommit: [] }
      return { result: await runCall(call, run), state, afterCommit: run.afterCommit }
    }
    return this.#options.database.transaction(work, { readOnly, signal })
  }

  async #runEdit(call: Call, { session, signal }: MetadataWork): Promise<Outcome> {
    const work = (transaction: Transaction) => this.#edit(call, session, transaction)
    const outcome = await this.#options.database.transaction(work, { signal })
    this.#publish(outcome.state)
    return outcome
  }

  async #edit(call: Call, session: Session, transaction: Transaction): Promise<Outcome> {
    const stored = await this.#store.lock(transaction)
    // Another instance was faster, or the outcome of a commit of ours never arrived.
    if (stored !== this.#current.model.resourceVersion) this.#publish(await this.#load(transaction))
    await this.#options.sessionSettings.apply(session, transaction)
    const state = this.#current
    const version = stored + 1
    const { registry } = this.#options
    const workspace = new Workspace({ transaction, registry, environment: this.#environment, state, version })
    workspace.tables.expect(namedTables(call))
    const run: Run = { session, transaction: workspace.tables.changing, state, workspace, afterCommit: [] }
    const result = await runCall(call, run)
    if (workspace.changed) await this.#save(workspace, state, transaction)
    return { result, state: workspace.finish(), afterCommit: run.afterCommit }
  }

  async #save(workspace: Workspace, before: MetadataState, transaction: Transaction): Promise<void> {
    const after = workspace.finish()
    const change = { previous: before.model, next: after.model, transaction }
    for (const effect of this.#options.registry.effects) await effect(change)
    const version = after.model.resourceVersion
    await this.#store.save(transaction, { previous: before.document, next: after.document, version })
    await this.#store.notify(transaction, { instance: this.#instance, version, tables: workspace.tablesRead })
  }

  /** Serves another instance's change, unless it is served already. */
  async #catchUp(version: number, tables: MetadataNotice['tables']): Promise<void> {
    if (version === this.#current.model.resourceVersion) return
    await this.#editing.run(async () => {
      if (version !== this.#current.model.resourceVersion) await this.#reload({ version, tables })
    })
  }

  async #reload(change?: StoredChange): Promise<void> {
    const work = (transaction: Transaction) => this.#load(transaction, change)
    this.#publish(await this.#options.database.transaction(work, { isolation: 'repeatable-read' }))
  }

  /** The stored state. What is stored is compared closely with what is declared only when it cannot be resolved. */
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
   * The stored document and the catalog, read anew; what is the same as before is shared. When the store is just the
   * given change ahead, only the change's tables are read.
   */
  async #loadReadable(transaction: Transaction, change?: StoredChange): Promise<MetadataState> {
    const before = this.#current
    const { registry, database } = this.#options
    const { document: stored, resourceVersion } = await this.#store.load(transaction)
    const document = await inTurns(shareDocument(registry, before.document, stored))
    const { serverVersion } = database
    const previous =
      before.catalog.serverVersion === serverVersion ? before.catalog : { ...before.catalog, serverVersion }
    const isNext = resourceVersion === change?.version && resourceVersion === before.model.resourceVersion + 1
    const wanted = isNext && change.tables !== 'all' ? new Set(change.tables) : 'all'
    const functions = functionNames(registry, document)
    const catalog = await readCatalog({ transaction, previous, entries: document.tables, functions, wanted })
    const isSame = document === before.document && catalog === before.catalog
    if (isSame && resourceVersion === before.model.resourceVersion) return before
    const resolution = isSame
      ? before.resolution
      : await inTurns(resolve({ document, catalog }, before.resolution, registry, this.#environment))
    return { document, catalog, resolution, model: modelOf(resolution, resourceVersion) }
  }

  #emptyState(): MetadataState {
    const { registry } = this.#options
    const document = emptyDocument(registry)
    const catalog = { tables: new Map(), functions: new Map(), serverVersion: 0 }
    const resolution = atOnce(resolve({ document, catalog }, null, registry, this.#environment))
    return { document, catalog, resolution, model: modelOf(resolution, -1) }
  }

  #publish(state: MetadataState): void {
    const before = this.#current
    if (state === before) return
    this.#state = state
    this.#logInconsistencies(before.model, state.model)
    for (const listener of this.#listeners) void this.#attempt(() => listener(state.model))
  }

  #logInconsistencies(before: Model, { inconsistencies }: Model): void {
    const known = new Set(before.inconsistencies)
    if (inconsistencies.every((each) => known.has(each))) return
    const objects = inconsistencies.map((each) => inconsistencyJson(each, this.#options.dialect))
    this.#warn('Inconsistent Metadata!', { objects })
  }

  #warn(message: string, info: unknown): void {
    this.#options.observe.log({ type: 'metadata', level: 'warn', detail: { message, info } })
  }

  /** For what comes after the fact: its failure is logged, and changes nothing. */
  async #attempt(work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const detail = `after a metadata change: ${(error as Error).stack ?? error}`
      this.#options.observe.log({ type: 'unstructured', level: 'error', detail })
    }
  }
}
