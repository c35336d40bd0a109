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

  /** `whose` names the plugin in messages. */
  add(added: Surroundings, whose: string): void {
    this.request = inside(this.request, added.request)
    this.admission = inside(this.admission, added.admission)
    this.batch = inside(this.batch, requireResult(added.batch, `"batch" of ${whose}`))
    this.operation = inside(this.operation, requireResult(added.operation, `"operation" of ${whose}`))
    this.metadata = inside(this.metadata, requireResult(added.metadata, `"metadata" of ${whose}`))
    this.change = inside(this.change, added.change && aroundChange(added.change, whose))
    this.statement = inside(this.statement, requireResult(added.statement, `"statement" of ${whose}`))
    this.planning = insideSync(this.planning, requireResultSync(added.planning, `"planning" of ${whose}`))
    this.document = insideSync(this.document, requireResultSync(added.document, `"document" of ${whose}`))
    const { outgoing } = this
    const inner = requireResponse(added.outgoing, `"outgoing" of ${whose}`)
    this.outgoing =
      outgoing && inner
        ? (request, send) => outgoing(request, (changed) => inner(changed, send))
        : (outgoing ?? inner ?? null)
  }
}

function inside<Work>(outer: Around<Work> | null, inner: Around<Work> | undefined): Around<Work> | null {
  if (!outer || !inner) return outer ?? inner ?? null
  return (work, run) => outer(work, () => inner(work, run))
}

function insideSync<Work>(
  outer: AroundSync<Work> | null,
  inner: AroundSync<Work> | undefined,
): AroundSync<Work> | null {
  if (!outer || !inner) return outer ?? inner ?? null
  return (work, run) => outer(work, () => inner(work, run))
}

/** Refuses an undefined result, because the hook probably forgot to return the result of `run`. */
function requireResult<Work>(around: Around<Work> | undefined, what: string): Around<Work> | undefined {
  if (!around) return undefined
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

function requireResponse(around: AroundOutgoing | undefined, what: string): AroundOutgoing | undefined {
  if (!around) return undefined
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

function requireResultSync<Work>(around: AroundSync<Work> | undefined, what: string): AroundSync<Work> | undefined {
  if (!around) return undefined
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
