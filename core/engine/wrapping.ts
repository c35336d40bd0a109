// What plugins put around the work of the server, to measure, trace, limit or refuse it: the one way to stand around or in
// front of work. What nobody stands around costs a comparison with null.

import type { FastifyReply } from 'fastify'
import type { Applicant } from '../auth/applicant.ts'
import type { PreparedOperation } from '../graphql/plan/prepared.ts'
import type { GraphQLOperation, ParsedDocument } from '../graphql/read/document.ts'
import type { GraphQLRequest } from '../graphql/read/request.ts'
import type { Route, RouteRequest } from '../http/declared-route.ts'
import type { Exchange } from '../http/exchange.ts'
import type { OutgoingRequest, OutgoingResponse } from '../outgoing/request.ts'
import type { Session } from '../session/session.ts'

/**
 * Runs `run` once and gives back what it gives, or throws before to refuse; `work` holds what is known, more of it once
 * `run` has ended.
 */
export type Around<Work> = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** The same of what is done at once. */
export type AroundSync<Work> = <T>(work: Work, run: () => T) => T

/** A request at its route, from the end of its body until its answer is handed over. `run` never rejects. */
export interface RequestWork {
  readonly route: Route
  readonly request: RouteRequest
  readonly reply: FastifyReply
  /** Its session and its error, as soon as there are any. */
  readonly exchange: Exchange
}

/** What can be ended early. */
export interface EndableWork {
  readonly session: Session
  /**
   * Ends the work when it aborts: a running statement is cancelled, and the reason is the error. A wrapper that sets it
   * keeps one that is there, by `AbortSignal.any`.
   */
  signal: AbortSignal | null
}

/** One GraphQL operation of a request, read, planned and run. */
export interface OperationWork extends EndableWork {
  readonly request: GraphQLRequest
  /** Null until it is planned; before, `GraphQLService.operation(request)` gives it. */
  operation: GraphQLOperation | null
  /** Null until it is planned. */
  prepared: PreparedOperation | null
}

/** A request to the metadata API: one operation, or a bulk. */
export interface MetadataWork extends EndableWork {
  /** The `type` of the request. */
  readonly type: string
}

/** A request that turned out to hold several GraphQL operations. */
export interface BatchWork {
  readonly applicant: Applicant
  /** How many. */
  readonly size: number
}

/** A document that was read, on its way to the plan of one of its operations. */
export interface DocumentWork {
  readonly document: ParsedDocument
  readonly session: Session
  /** `chooseOperation(document, request.operationName)` gives the operation that is asked for. */
  readonly request: GraphQLRequest
}

/** Reading a document, and validating and planning an operation of it. */
export interface PlanningWork {
  readonly session: Session
  readonly request: GraphQLRequest
  /** Whether a plan of before serves; null when planning failed. */
  cached: boolean | null
}

/** A statement on its way to PostgreSQL and back, with the time that it waits for a connection. */
export interface StatementWork {
  /** `query`: answers a request alone; `transaction`: one of a transaction; `other`: for the server itself. */
  readonly kind: 'query' | 'transaction' | 'other'
  /** A digest of the text of a planned statement; null of all others. */
  readonly digest: string | null
}

/** What a plugin may put around the work, each member for one kind. */
export interface Surroundings {
  readonly request?: Around<RequestWork>
  /** From when it is known who asks, before the body is parsed: an error of it is what the client gets. */
  readonly admission?: Around<Applicant>
  readonly batch?: Around<BatchWork>
  readonly operation?: Around<OperationWork>
  readonly metadata?: Around<MetadataWork>
  readonly planning?: AroundSync<PlanningWork>
  /** Within planning: for each request, before the role's schema counts. */
  readonly document?: AroundSync<DocumentWork>
  readonly statement?: Around<StatementWork>
  /** `send` takes the request that is to be sent: its headers may be changed. */
  readonly outgoing?: AroundOutgoing
}

export type AroundOutgoing = (
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
) => Promise<OutgoingResponse>

/** What all plugins put around each kind of work, as one; null where there is nothing. What was added first is outermost. */
export class Wrapping {
  request: Around<RequestWork> | null = null
  admission: Around<Applicant> | null = null
  batch: Around<BatchWork> | null = null
  operation: Around<OperationWork> | null = null
  metadata: Around<MetadataWork> | null = null
  planning: AroundSync<PlanningWork> | null = null
  document: AroundSync<DocumentWork> | null = null
  statement: Around<StatementWork> | null = null
  outgoing: AroundOutgoing | null = null

  /** `whose` is the plugin in messages. */
  add(added: Surroundings, whose: string): void {
    this.request = inside(this.request, added.request)
    this.admission = inside(this.admission, added.admission)
    this.batch = inside(this.batch, giving(added.batch, `"batch" of ${whose}`))
    this.operation = inside(this.operation, giving(added.operation, `"operation" of ${whose}`))
    this.metadata = inside(this.metadata, giving(added.metadata, `"metadata" of ${whose}`))
    this.statement = inside(this.statement, giving(added.statement, `"statement" of ${whose}`))
    this.planning = insideSync(this.planning, givingSync(added.planning, `"planning" of ${whose}`))
    this.document = insideSync(this.document, givingSync(added.document, `"document" of ${whose}`))
    const { outgoing } = this
    const inner = givingResponse(added.outgoing, `"outgoing" of ${whose}`)
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

const gaveNothing = (what: string): Error => new Error(`around: ${what} gave nothing back, in place of what run gives`)

/** Refuses nothing in place of a result, which would be answered as if it were one: a wrapper forgets to return it. */
function giving<Work>(around: Around<Work> | undefined, what: string): Around<Work> | undefined {
  if (!around) return undefined
  return <T>(work: Work, run: () => Promise<T>) => {
    let running: Promise<T> | null = null
    const given = around(work, () => {
      running = run()
      return running
    })
    // Each promise is paid for by each operation.
    if (running !== null && given === running) return given
    return Promise.resolve(given).then<T>((result) => (result === undefined ? nothingOf(running, what) : result))
  }
}

/** Nothing, where that is what the work gives. */
async function nothingOf<T>(running: Promise<T> | null, what: string): Promise<T> {
  const result = await running
  if (running === null || result !== undefined) throw gaveNothing(what)
  return result as T
}

function givingResponse(around: AroundOutgoing | undefined, what: string): AroundOutgoing | undefined {
  if (!around) return undefined
  return (request, send) => {
    let sending: Promise<OutgoingResponse> | null = null
    const given = around(request, (changed) => {
      sending = send(changed)
      return sending
    })
    if (sending !== null && given === sending) return given
    return Promise.resolve(given).then((response) => response ?? Promise.reject(gaveNothing(what)))
  }
}

function givingSync<Work>(around: AroundSync<Work> | undefined, what: string): AroundSync<Work> | undefined {
  if (!around) return undefined
  return (work, run) => {
    const given = around(work, run)
    if (given === undefined) throw gaveNothing(what)
    return given
  }
}
