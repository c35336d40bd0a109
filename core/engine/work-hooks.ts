// Functions that plugins put around the work of the server. An unused hook costs one null check.

import type { Around, AroundSync } from '../around/around.ts'
import type { AdmissionHooks, Applicant, BatchWork } from '../auth/admission.ts'
import type { StatementHooks, StatementWork } from '../database/statement-work.ts'
import type { ChangeWork, DocumentWork, GraphQLHooks, OperationWork, PlanningWork } from '../graphql/works.ts'
import type { RequestHooks, RequestWork } from '../http/route/exchange.ts'
import type { MetadataHooks, MetadataWork } from '../operations/metadata-work.ts'
import type { AroundOutgoing, OutgoingHooks, OutgoingResponse } from '../outgoing/request.ts'
import { aroundChange, missingResult } from './change-hook.ts'

/** A plugin's hooks around the server's work, one member for each kind of work. */
export interface Surroundings {
  readonly request?: Around<RequestWork>
  /** Runs once the session is known, before the body is parsed. The client receives its error. */
  readonly admission?: Around<Applicant>
  readonly batch?: Around<BatchWork>
  readonly operation?: Around<OperationWork>
  readonly metadata?: Around<MetadataWork>
  readonly planning?: AroundSync<PlanningWork>
  /** Runs in planning, for each request, before the role's schema is consulted. */
  readonly document?: AroundSync<DocumentWork>
  /** Runs within the transaction of a mutation, or of a request to the metadata API that may change something. */
  readonly change?: Around<ChangeWork>
  readonly statement?: Around<StatementWork>
  /** `send` takes the request, whose headers may be changed. */
  readonly outgoing?: AroundOutgoing
}

/** Engages or disengages hooks; one that is disengaged costs nothing. */
type HookSwitch = (isEngaged: boolean) => void

/** The composed hooks of all plugins for each kind of work; null if no plugin has one. The first added is outermost. */
export class WorkHooks
  implements AdmissionHooks, GraphQLHooks, MetadataHooks, OutgoingHooks, RequestHooks, StatementHooks
{
  request: Around<RequestWork> | null = null
  admission: Around<Applicant> | null = null
  batch: Around<BatchWork> | null = null
  operation: Around<OperationWork> | null = null
  metadata: Around<MetadataWork> | null = null
  planning: AroundSync<PlanningWork> | null = null
  document: AroundSync<DocumentWork> | null = null
  change: Around<ChangeWork> | null = null
  statement: Around<StatementWork> | null = null
  outgoing: AroundOutgoing | null = null

  readonly #added: { readonly hooks: Surroundings; isEngaged: boolean }[] = []

  /** `whose` names the plugin in messages. */
  add(added: Surroundings, whose: string): HookSwitch {
    const entry = { hooks: checked(added, whose), isEngaged: true }
    this.#added.push(entry)
    this.#compose()
    return (isEngaged) => {
      if (entry.isEngaged === isEngaged) return
      entry.isEngaged = isEngaged
      this.#compose()
    }
  }

  #compose(): void {
    const engaged = this.#added.filter(({ isEngaged }) => isEngaged).map(({ hooks }) => hooks)
    this.request = composed(engaged.map((hooks) => hooks.request))
    this.admission = composed(engaged.map((hooks) => hooks.admission))
    this.batch = composed(engaged.map((hooks) => hooks.batch))
    this.operation = composed(engaged.map((hooks) => hooks.operation))
    this.metadata = composed(engaged.map((hooks) => hooks.metadata))
    this.change = composed(engaged.map((hooks) => hooks.change))
    this.statement = composed(engaged.map((hooks) => hooks.statement))
    this.planning = composedSync(engaged.map((hooks) => hooks.planning))
    this.document = composedSync(engaged.map((hooks) => hooks.document))
    this.outgoing = composedOutgoing(engaged.map((hooks) => hooks.outgoing))
  }
}

/** The hooks with checks of their results. */
function checked({ request, admission, ...added }: Surroundings, whose: string): Surroundings {
  return {
    ...(request && { request }),
    ...(admission && { admission }),
    ...(added.batch && { batch: requireResult(added.batch, `"batch" of ${whose}`) }),
    ...(added.operation && { operation: requireResult(added.operation, `"operation" of ${whose}`) }),
    ...(added.metadata && { metadata: requireResult(added.metadata, `"metadata" of ${whose}`) }),
    ...(added.change && { change: aroundChange(added.change, whose) }),
    ...(added.statement && { statement: requireResult(added.statement, `"statement" of ${whose}`) }),
    ...(added.planning && { planning: requireResultSync(added.planning, `"planning" of ${whose}`) }),
    ...(added.document && { document: requireResultSync(added.document, `"document" of ${whose}`) }),
    ...(added.outgoing && { outgoing: requireResponse(added.outgoing, `"outgoing" of ${whose}`) }),
  }
}

function composed<Work>(hooks: readonly (Around<Work> | undefined)[]): Around<Work> | null {
  return hooks.reduce<Around<Work> | null>((outer, inner) => {
    if (!outer || !inner) return outer ?? inner ?? null
    return (work, run) => outer(work, () => inner(work, run))
  }, null)
}

function composedSync<Work>(hooks: readonly (AroundSync<Work> | undefined)[]): AroundSync<Work> | null {
  return hooks.reduce<AroundSync<Work> | null>((outer, inner) => {
    if (!outer || !inner) return outer ?? inner ?? null
    return (work, run) => outer(work, () => inner(work, run))
  }, null)
}

function composedOutgoing(hooks: readonly (AroundOutgoing | undefined)[]): AroundOutgoing | null {
  return hooks.reduce<AroundOutgoing | null>((outer, inner) => {
    if (!outer || !inner) return outer ?? inner ?? null
    return (request, send) => outer(request, (changed) => inner(changed, send))
  }, null)
}

/** Refuses an undefined result, because the hook probably forgot to return the result of `run`. */
function requireResult<Work>(around: Around<Work>, what: string): Around<Work> {
  return <T>(work: Work, run: () => Promise<T>) => {
    let running: Promise<T> | null = null
    const given = around(work, () => {
      running = run()
      return running
    })
    // An additional promise would slow down every operation.
    if (running !== null && given === running) return given
    return Promise.resolve(given).then<T>((result) => (result === undefined ? undefinedOf(running, what) : result))
  }
}

/** Returns undefined if the work itself did. */
async function undefinedOf<T>(running: Promise<T> | null, what: string): Promise<T> {
  const result = await running
  if (running === null || result !== undefined) throw missingResult(what)
  return result as T
}

function requireResponse(around: AroundOutgoing, what: string): AroundOutgoing {
  return (request, send) => {
    let sending: Promise<OutgoingResponse> | null = null
    const given = around(request, (changed) => {
      sending = send(changed)
      return sending
    })
    if (sending !== null && given === sending) return given
    return Promise.resolve(given).then((response) => response ?? Promise.reject(missingResult(what)))
  }
}

function requireResultSync<Work>(around: AroundSync<Work>, what: string): AroundSync<Work> {
  return (work, run) => {
    const given = around(work, run)
    if (given === undefined) throw missingResult(what)
    return given
  }
}

/** Runs the admission hooks; rejects if a plugin refuses. Routes with a session are admitted before they are called. */
export interface Admission {
  /** Admits and serves a request of another transport. */
  admit<T>(applicant: Applicant, serve: () => Promise<T>): Promise<T>
  /** Serves an admitted request that contains this number of GraphQL operations. */
  admitBatch<T>(applicant: Applicant, size: number, serve: () => Promise<T>): Promise<T>
}

/** Creates the service for these hooks. */
export const admissionBy = (hooks: AdmissionHooks): Admission => ({
  admit: (applicant, serve) => (hooks.admission ? hooks.admission(applicant, serve) : serve()),
  admitBatch: (applicant, size, serve) => (hooks.batch ? hooks.batch({ applicant, size }, serve) : serve()),
})
