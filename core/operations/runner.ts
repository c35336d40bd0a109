// The path of every request to the metadata API: envelope, arguments, authorization, sources, row lock, transaction,
// each operation's edit, resolving, checks, saving, publishing.
//
// A bulk is one request: its members share the transaction and the edit. The first error ends both, so the database rolls
// back and no generation is published.

import { current, isDraft } from 'immer'
import { eitherSignal } from '../concurrency/aborting.ts'
import { despiteConflicts } from '../database/placing/conflicts.ts'
import { noTransaction, type Transaction } from '../database/transaction.ts'
import { refusedByPostgres } from '../database/wire/postgres-errors.ts'
import { blame } from '../errors/blame.ts'
import { badRequest, toTrellisError } from '../errors/errors.ts'
import type { ValidationOptions } from '../graphql/read/request.ts'
import type { Model } from '../metadata/document/model.ts'
import { conflictingDefinitions, mayConflict } from '../metadata/naming/type-names.ts'
import { checkConsistency, type ListingForm } from '../metadata/resolving/consistency.ts'
import { type MetadataEdit, refuseNameConflicts } from '../metadata/serving/edit.ts'
import type { MetadataState } from '../metadata/serving/state.ts'
import { requireSource, sourceName } from '../metadata/slices/given-source.ts'
import type { FetchedSource } from '../metadata/slices/sources.ts'
import type { InterfaceName } from '../names/version.ts'
import type { Session } from '../session/session.ts'
import { authorOf } from './author.ts'
import { CombinedEdits, groupOf } from './combined-edits.ts'
import {
  accessMode,
  authorize,
  type Call,
  decodeEnvelope,
  editsMetadata,
  expectedVersions,
  keepsGoing,
  limitMembers,
  namedTables,
  refuseUntried,
  timeLimitOf,
  withMembers,
} from './envelope.ts'
import { withAllFaults } from './faulty-document.ts'
import { inSavepoint, type MemberOutcome, readingOnly } from './members.ts'
import { asChange, type MetadataWork } from './metadata-work.ts'
import { type OperationContext, type Preview, refuseEdit } from './operation.ts'
import type { RequestForm } from './request-form.ts'
import { requestedSources } from './requested-sources.ts'
import {
  type AfterCommit,
  askedBy,
  type Circumstances,
  type EditCircumstances,
  type Editing,
  type Outcome,
  type Reading,
  type Run,
  type RunnerOptions,
} from './run.ts'
import { inArguments, inWordsOf, refuseStale, withHelp } from './run-errors.ts'
import type { RequestOptions } from './service.ts'
import { endTrial, inTrial, isResult, type Trial, triedResult, withDeadline } from './trial.ts'

/** Reruns of a request that only reads, when a change of the metadata and the database made it fail. */
const maxReruns = 3

const success = { message: 'success' } as const

export class MetadataRunner {
  readonly #options: RunnerOptions

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Runs an envelope; see `MetadataService.run`. */
  run(envelope: unknown, session: Session, options: RequestOptions = {}): Promise<unknown> {
    const { form = this.#options.operations.form } = options
    return this.#runIn(form, envelope, session, options).catch((error) => Promise.reject(inWordsOf(form, error)))
  }

  async #runIn(form: RequestForm, envelope: unknown, session: Session, options: RequestOptions): Promise<unknown> {
    const { whenUnwanted, caller = null, isStrict = false, form: _, ...cause } = options
    const { operations, environment } = this.#options
    const decoding = { operations, environment, form, session, isStrict }
    const call = await decodeEnvelope(envelope, decoding).catch(async (error) => {
      throw await withAllFaults(error, { session, interfaceName: form.interface }, this.#options)
    })
    authorize(call, session)
    limitMembers(call, session, environment)
    const work: MetadataWork = { session, type: call.operation.type, args: call.args, signal: null }
    const around = this.#options.hooks.metadata
    const run = () => this.#run(call, work, { form, caller, ...cause, ...(whenUnwanted && { whenUnwanted }) })
    return around ? around(work, run) : run()
  }

  async #run(call: Call, work: MetadataWork, how: Circumstances): Promise<unknown> {
    const limit = timeLimitOf(call)
    if (limit === null) return this.#start(call, work, how)
    return withDeadline(limit, (signal) => {
      work.signal = eitherSignal(work.signal, signal)
      return this.#start(call, work, how)
    })
  }

  async #start(call: Call, work: MetadataWork, how: Circumstances): Promise<unknown> {
    const { whenUnwanted, caller } = how
    const readOnly = accessMode(call) !== 'READ WRITE' || work.session.readOnly === true
    if (readOnly && whenUnwanted) work.signal = eitherSignal(work.signal, whenUnwanted())
    if (accessMode(call) === 'none') return this.#runAlone(call, work, how)
    const running = withMembers(call).some(editsMetadata)
      ? this.#runEdit(call, work, how)
      : this.#runRead(call, work, { readOnly, caller, ...askedBy(how) })
    if (call.operation.rollsBack) return triedResult(running)
    const { result, afterCommit } = await running
    for (const callback of afterCommit) await this.#options.served.attempt(callback)
    return result
  }

  /** Runs a request that uses no connection. */
  #runAlone(call: Call, { session, signal }: MetadataWork, how: Circumstances): Promise<unknown> {
    const none = { edit: null, combined: null, afterCommit: [], transaction: noTransaction }
    const { state } = this.#options.served
    return this.#call(call, { session, signal, state, ...askedBy(how), ...none })
  }

  /**
   * Runs a request that does not block editors: on the generation served when it begins, or on the next one that fits
   * the database.
   */
  async #runRead(call: Call, work: MetadataWork, how: Reading): Promise<Outcome> {
    const { served } = this.#options
    for (let left = maxReruns; ; left--) {
      const { state } = served
      try {
        return await this.#readOn(state, call, work, how)
      } catch (error) {
        if (left === 0 || !(await served.isOutdated(state.model, error))) throw error
      }
    }
  }

  #readOn(state: MetadataState, call: Call, { session, signal }: MetadataWork, reading: Reading): Promise<Outcome> {
    const { readOnly, caller, ...asked } = reading
    const { database, served, sessionSettings } = this.#options
    const work = async (transaction: Transaction) => {
      const expected = expectedVersions(call)
      if (expected.length > 0) refuseStale(expected, await served.storedVersion(transaction))
      await inArguments(sessionSettings.apply(session, transaction, asked.requestId))
      const none = { edit: null, combined: null, afterCommit: [] }
      const run: Run = { session, signal, transaction, state, ...asked, ...none }
      const result = await asChange(call, run, this.#options.hooks, () => this.#call(call, run))
      endTrial(call.operation, result)
      return { result, afterCommit: run.afterCommit }
    }
    const options = { readOnly, caller, forReader: session.readOnly, signal }
    return despiteConflicts(() => database.transaction(work, options))
  }

  /** Runs one edit at a time: a mutex orders them in this process, and the row lock among instances. */
  async #runEdit(call: Call, { session, signal }: MetadataWork, how: EditCircumstances): Promise<Outcome> {
    const { served, fetcher } = this.#options
    const given = { signal, ...askedBy(how), author: authorOf(call, session, how) }
    const expected = expectedVersions(call)
    // Checked before other servers are called, and again under the lock.
    if (expected.length > 0) refuseStale(expected, await served.storedVersion())
    const fetched = await this.#fetch(call, signal)
    const fetchedAtLock = () => fetched.filter((each) => fetcher.isNewest(each))
    const options = { signal, fetched: fetchedAtLock, onCommit: () => fetcher.served(fetched) }
    const alone = (edit: MetadataEdit) => this.#edit(call, session, { edit, combined: null, ...given })
    if (!call.members) return served.edit(alone, options)
    const last: { combined: CombinedEdits | null } = { combined: null }
    const together = (edit: MetadataEdit) => {
      last.combined = this.#combining(edit, given.interface)
      return this.#edit(call, session, { edit, combined: last.combined, ...given })
    }
    try {
      return await served.edit(together, options)
    } catch (error) {
      // The transaction was rolled back. One by one, the first member with a fault gets its own error.
      if (isResult(error) || signal?.aborted || !(last.combined?.isPending || keepsGoing(call))) throw error
      return await served.edit(alone, options)
    }
  }

  /** Edits that are resolved together, and accepted if they cause no inconsistency at all. */
  #combining(edit: MetadataEdit, interfaceName: InterfaceName): CombinedEdits {
    return new CombinedEdits(edit, (before, after) => {
      const form = this.#listing(after, interfaceName)
      refuseNameConflicts(before.resolution, after.resolution, { object: undefined, check: 'new', ...form })
      this.#refuseTypeConflicts(before.model, after.model)
      const inconsistencies = { before: before.model.inconsistencies, after: after.model.inconsistencies }
      checkConsistency('new', { ...inconsistencies, renamed: [], objects: [], form })
    })
  }

  /** The form in which answers list objects of a generation. */
  #listing({ document }: MetadataState, interfaceName: InterfaceName): ListingForm {
    const { dialect } = this.#options.environment
    return { dialect, wording: { interface: interfaceName, source: sourceName(document) } }
  }

  /** Fetches the sources that a call and its members request, all at once. No other request waits for them. */
  async #fetch(call: Call, signal: AbortSignal | null): Promise<readonly FetchedSource[]> {
    const { registry, served, fetcher } = this.#options
    const requests = await requestedSources(call, {
      ...{ sources: registry.sources, metadata: served.document, contents: served.state.contents, parts: served.parts },
    })
    if (requests.length === 0) return []
    const fetched = await fetcher.fetch(requests, signal)
    for (const [i, { error }] of fetched.entries()) {
      const { isOptional, path } = requests[i]!
      if (error && !isOptional) throw error.at(...path)
    }
    return fetched
  }

  /** Serves sources that were fetched in the background, and stores the changes that follow. */
  async apply(fetched: readonly FetchedSource[]): Promise<void> {
    const { served, fetcher } = this.#options
    const work = async (edit: MetadataEdit) => {
      await edit.open()
      const step = edit.begin()
      edit.accept(step, await edit.resolve(step))
      // The reason why a fetch failed concerns this instance alone, so it is not stored.
      if (!fetched.every(({ error }) => error)) await edit.save()
    }
    await served.edit(work, {
      fetched: () => fetched.filter((each) => fetcher.isNewest(each)),
      onCommit: () => fetcher.served(fetched),
    })
  }

  async #edit(call: Call, session: Session, editing: Editing): Promise<Outcome> {
    const { edit, combined, signal, author, ...asked } = editing
    const stored = await inArguments(edit.open())
    refuseStale(expectedVersions(call), stored)
    const { state } = edit
    await inArguments(this.#options.sessionSettings.apply(session, edit.transaction, asked.requestId))
    edit.tables.expect(namedTables(call))
    const afterCommit: AfterCommit[] = []
    const run: Run = {
      ...{ session, transaction: edit.tables.changing, ...asked },
      ...{ state, edit, combined, afterCommit, signal },
    }
    const result = await asChange(call, run, this.#options.hooks, async () => {
      const result = await this.#call(call, run)
      await combined?.resolve()
      endTrial(call.operation, result)
      await inArguments(edit.save(author).catch((error) => Promise.reject(this.#refused(error))))
      return result
    })
    return { result, afterCommit }
  }

  /** The result of a call; errors carry the path of the wire. */
  async #call(call: Call, run: Run): Promise<unknown> {
    try {
      const { edit, combined } = run
      requireSource((edit?.state ?? run.state).document, call.source)
      await combined?.enter(groupOf(call))
      if (call.operation.writesRows) await edit?.follow()
      const result = edit && editsMetadata(call) ? this.#handleEdit(call, run, edit) : this.#handle(call, run)
      return (await result) ?? success
    } catch (error) {
      const refused = call.operation.adminOnly === false ? error : this.#refused(error)
      throw toTrellisError(await withHelp(blame(refused, call.operation), call, run)).at('args')
    }
  }

  /** The error of a change, which is the caller's to correct if PostgreSQL refused it. */
  #refused(error: unknown): unknown {
    return this.#options.environment.dialect.refusedChange === 400 ? refusedByPostgres(error) : error
  }

  async #handle(call: Call, run: Run): Promise<unknown> {
    return call.operation.handle(this.#readContext(call, run), call.args)
  }

  /** Runs one edit: draft, handler, next generation, consistency checks. */
  async #handleEdit(call: Call, run: Run, edit: MetadataEdit): Promise<unknown> {
    const { operation, args } = call
    const { served, environment } = this.#options
    const before = edit.state
    const together = groupOf(call) === null ? null : run.combined
    const step = together?.step() ?? edit.begin()
    const { draft, remove, rename, refreshCatalog } = step
    const context: OperationContext = {
      ...this.#readContext(call, run),
      ...{ metadata: draft, remove, rename, refreshCatalog },
      validateDocument: async (text, options) => this.#validate(text, options, await edit.preview(step)),
      preview: async () => this.#preview(before.model, await edit.preview(step)),
      async refreshDocument() {
        await edit.store()
        served.format.overwrite(draft, await served.readStoredDocument(run.transaction))
      },
    }
    const handled = await operation.handle(context, args)
    const result = isDraft(handled) ? current(handled as object) : handled
    if (together) return result
    const { check: declared = 'none' } = operation
    const check = typeof declared === 'function' ? declared(args) : declared
    const respond = ({ model }: MetadataState) =>
      operation.respond?.({ model, dialect: environment.dialect, interface: run.interface }, args)
    if (operation.isDryRun?.(args)) {
      const after = await edit.rehearse(step)
      if (check !== 'none') this.#refuseTypeConflicts(before.model, after.model)
      return respond(after) ?? result
    }
    const after = await edit.resolve(step)
    const object = operation.object?.(args)
    const form = this.#listing(after, run.interface)
    if (check !== 'none') {
      refuseNameConflicts(before.resolution, after.resolution, { object, check, ...form })
      this.#refuseTypeConflicts(before.model, after.model)
    }
    const inconsistencies = { before: before.model.inconsistencies, after: after.model.inconsistencies }
    const objects = object ? [object, ...(operation.parts?.(args) ?? [])] : []
    checkConsistency(check, { ...inconsistencies, renamed: step.renamed, objects, form })
    edit.accept(step, after)
    return respond(after) ?? result
  }

  /** Refuses tables whose names equal those of types that others generate: no schema could hold both. */
  #refuseTypeConflicts(before: Model, after: Model): void {
    const { conflictingType: name } = this.#preview(before, after)
    if (name !== null) throw badRequest('unexpected', conflictingDefinitions(name))
  }

  #preview(before: Model, model: Model): Preview {
    const { registry, conflictingType } = this.#options
    const isSafe = !mayConflict(model.tables, before.tables, registry.generatedTypes)
    return { model, conflictingType: isSafe ? null : conflictingType(model) }
  }

  /** The context of an operation that does not edit: its document is frozen. */
  #readContext(call: Call, run: Run): OperationContext {
    const { session, transaction, afterCommit, signal, requestId } = run
    const { document, model, catalog } = run.edit?.state ?? run.state
    return {
      ...this.#options.environment,
      interface: run.interface,
      ...{ metadata: document, model, catalog, session, requestId, transaction, signal },
      remove: refuseEdit,
      rename: refuseEdit,
      refreshCatalog: refuseEdit,
      refreshDocument: async () => refuseEdit(),
      storeEdits: async () => run.edit?.store(),
      validateDocument: async (text, options) => this.#validate(text, options, model),
      preview: async () => ({ model, conflictingType: null }),
      applySession: () => this.#options.sessionSettings.apply(session, transaction, requestId),
      runMember: (index) => this.#runMember(call, index, run),
      tryMember: (index) => this.#tryMember(call, index, run),
      trial: (session, work) => this.#trial(session, { ...run, isStrict: call.isStrict }, work),
      afterCommit: (callback) => afterCommit.push(callback),
    }
  }

  #validate(text: string, options: ValidationOptions | undefined, model: Model): void {
    this.#options.validateDocument(text, options, model)
  }

  async #runMember({ operation, members }: Call, index: number, run: Run): Promise<unknown> {
    const member = members?.[index]
    if (!member) throw new TypeError(`operation "${operation.type}" has no member ${index}`)
    const isReader = operation.mixesAccess && accessMode(member) === 'READ ONLY'
    try {
      const work = () => this.#call(member, run)
      return await (isReader ? readingOnly(run.transaction, work) : work())
    } catch (error) {
      throw inWordsOf(run, toTrellisError(error).at(...member.at))
    }
  }

  async #tryMember(call: Call, index: number, run: Run): Promise<MemberOutcome> {
    // An error ends the attempt; the request runs again without resolving edits together.
    if (run.combined) return { result: await this.#runMember(call, index, run) }
    return inSavepoint(run, () => this.#runMember(call, index, run))
  }

  async #trial(session: Session, run: Run, work: (trial: Trial) => Promise<unknown>): Promise<MemberOutcome> {
    const { transaction, edit } = run
    await run.combined?.resolve()
    await edit?.follow()
    const { document: metadata, model } = edit?.state ?? run.state
    return inTrial(run, async () => {
      await this.#options.sessionSettings.apply(session, transaction, run.requestId)
      return work({ metadata, model, transaction, run: (envelope) => this.#runTried(envelope, { ...run, session }) })
    })
  }

  /** Runs a request of the metadata API within another one, as a session of its own. */
  async #runTried(envelope: unknown, run: Run): Promise<unknown> {
    const { operations, environment } = this.#options
    const { session, isStrict = false } = run
    const call = await decodeEnvelope(envelope, { operations, environment, form: operations.form, session, isStrict })
    authorize(call, session)
    limitMembers(call, session, environment)
    refuseUntried(call)
    return this.#call(call, { ...run, combined: null, afterCommit: [] })
  }
}
