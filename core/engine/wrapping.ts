// What plugins put around the work of the server, to measure, trace or limit it. Work that no plugin wraps costs a
// comparison with null.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../graphql/document.ts'
import type { GraphQLRequest } from '../graphql/request.ts'
import type { Route } from '../http/declared-route.ts'
import type { Exchange } from '../http/exchange.ts'
import type { OutgoingRequest, OutgoingResponse } from '../outgoing/request.ts'
import type { Session } from '../session/session.ts'

/** Runs `run` once and gives back what it gives; `work` holds what is known, more of it once `run` has ended. */
export type Around<Work> = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** A request at its route, from the end of its body until its answer is handed over. `run` never rejects. */
export interface RequestWork {
  readonly route: Route
  readonly request: FastifyRequest
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
  /** Null until the document was read. */
  operation: Operation | null
}

/** A request to the metadata API: one operation, or a bulk. */
export interface MetadataWork extends EndableWork {
  /** The `type` of the request. */
  readonly type: string
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
export interface Wrappers {
  readonly request?: Around<RequestWork>
  readonly operation?: Around<OperationWork>
  readonly metadata?: Around<MetadataWork>
  readonly planning?: <T>(work: PlanningWork, run: () => T) => T
  readonly statement?: Around<StatementWork>
  /** `send` takes the request that is to be sent: the wrapper may have changed its headers. */
  readonly outgoing?: OutgoingWrapper
}

export type OutgoingWrapper = (
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
) => Promise<OutgoingResponse>

/** The wrappers of all plugins as one; null where there are none. Those that were added first are outermost. */
export class Wrapping {
  request: Around<RequestWork> | null = null
  operation: Around<OperationWork> | null = null
  metadata: Around<MetadataWork> | null = null
  planning: NonNullable<Wrappers['planning']> | null = null
  statement: Around<StatementWork> | null = null
  outgoing: OutgoingWrapper | null = null

  add(wrappers: Wrappers): void {
    this.request = inside(this.request, wrappers.request)
    this.operation = inside(this.operation, wrappers.operation)
    this.metadata = inside(this.metadata, wrappers.metadata)
    this.statement = inside(this.statement, wrappers.statement)
    const { planning, outgoing } = this
    const { planning: innerPlanning, outgoing: innerOutgoing } = wrappers
    this.planning =
      planning && innerPlanning
        ? (work, run) => planning(work, () => innerPlanning(work, run))
        : (planning ?? innerPlanning ?? null)
    this.outgoing =
      outgoing && innerOutgoing
        ? (request, send) => outgoing(request, (changed) => innerOutgoing(changed, send))
        : (outgoing ?? innerOutgoing ?? null)
  }
}

function inside<Work>(outer: Around<Work> | null, inner: Around<Work> | undefined): Around<Work> | null {
  if (!outer || !inner) return outer ?? inner ?? null
  return (work, run) => outer(work, () => inner(work, run))
}
