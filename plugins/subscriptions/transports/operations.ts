// Running the operations of a client that is connected for longer: one answer for a query or mutation, one after another for
// a subscription. All checks of requests hold for each.

import { randomUUID } from 'node:crypto'
import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../../sdk/graphql.ts'
import { type Applicant, inDialect } from '../../../sdk/http.ts'
import { type Engine, flatError, graphqlError, TrellisError, toTrellisError } from '../../../sdk/index.ts'
import type { QueryLog } from '../../../sdk/services.ts'
import type { LiveSink } from '../live/cohort.ts'
import type { FeedSink } from '../live/feeds.ts'
import { JoinedAnswers } from '../live/joined-answers.ts'
import type { LiveQueries } from '../live/live-queries.ts'

/** What operations are run with. */
export interface OperationContext {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly schema: SchemaKind
  /** Whether errors are flat, as `/v1alpha1/graphql` has them. */
  readonly isFlat: boolean
  readonly applicant: Applicant
  /** Whether it was admitted already, by the request that it came with. */
  readonly isAdmitted: boolean
  /** Of the client itself, for whoever else is asked on its behalf. */
  readonly headers: Readonly<Record<string, string>>
}

/** Where the results of an operation go. */
export interface ResultSink {
  /** Whether the client takes what it is sent. */
  readonly isFull: boolean
  /** Resolves when more can be sent, or nothing ever. */
  room(): Promise<void>
  /** A result that counts by itself: the one of a query or mutation, or one of a stream. */
  result(body: Buffer | string): void
  /** A result of a subscription, in place of those before. */
  state(body: Buffer): void
  /** The operation was refused, or ended; `text` is the error as JSON. */
  refused(text: string, error: TrellisError): void
  /** There is nothing more. */
  done(): void
}

/** An operation that runs. */
export interface RunningOperation {
  readonly request: GraphQLRequest
  /** Resolves when a query or mutation is answered, when a subscription has begun. */
  readonly begun: Promise<void>
  stop(): void
}

/** Errors by which the request was wrong, wherever they were noticed. */
const refusals: ReadonlySet<string> = new Set(['validation-failed', 'parse-failed', 'not-found', 'not-supported'])

/** Reads a request and runs it. What is no request is refused by throwing. */
export function runOperation(payload: unknown, context: OperationContext, sink: ResultSink): RunningOperation {
  const request = readGraphQLRequest(payload)
  const controller = new AbortController()
  let leave = () => {}
  const { engine, applicant, isAdmitted } = context
  const run = async () => {
    if (controller.signal.aborted) return
    const { kind } = engine.graphql.engine.operation(request)
    if (kind === 'subscription') {
      leave = subscribe(request, context, { sink, signal: controller.signal })
      return
    }
    const { schema, headers } = context
    const onPlanned = (generatedSql: QueryLog['generated_sql']) => logQuery(request, generatedSql, context)
    const extras = { schema, headers, onPlanned, whenUnwanted: () => controller.signal }
    const body = await engine.graphql.engine.execute(request, applicant.session, extras)
    if (controller.signal.aborted) return
    sink.result(body)
    sink.done()
  }
  const begun = (isAdmitted ? run() : engine.admission.admit(applicant, run)).catch((failure: unknown) => {
    if (!controller.signal.aborted) answerFailure(failure, context, sink)
  })
  const stop = () => {
    controller.abort(departed())
    leave()
  }
  return { request, begun, stop }
}

const departed = () => new TrellisError(499, 'client-gone', 'the client does not wait for the answer')

interface Subscribing {
  readonly sink: ResultSink
  /** Aborts when the client wants no more. */
  readonly signal: AbortSignal
}

function subscribe(request: GraphQLRequest, context: OperationContext, { sink, signal }: Subscribing): () => void {
  const { engine, live, schema, applicant, headers } = context
  logQuery(request, null, context)
  const { session } = applicant
  const planned = engine.graphql.engine.plan(request, session, { schema })
  const given = { request, session, schema, headers }
  if (planned.prepared.feed) {
    void live.feeds.run(planned, given, feedSink(context, sink), signal)
    return () => {}
  }
  const plain: LiveSink = {
    get isFull() {
      return sink.isFull
    },
    room: () => sink.room(),
    planned: () => {},
    append: (body) => sink.result(body),
    next: (body) => sink.state(body),
    fail: (error) => sink.state(Buffer.from(failedResult(error, context))),
    end: (error) => {
      subscription.leave()
      refuse(error, context, sink)
    },
  }
  const answers = new JoinedAnswers({ engine, request: given, sink: plain })
  const subscription = live.start({ request, session, schema }, answers)
  return () => {
    subscription.leave()
    answers.stop()
  }
}

const feedSink = (context: OperationContext, sink: ResultSink): FeedSink => ({
  room: () => sink.room(),
  next: (body) => sink.result(body),
  fail: (error) => sink.result(failedResult(error, context)),
  end: (error) => (error ? refuse(error, context, sink) : sink.done()),
})

function answerFailure(failure: unknown, context: OperationContext, sink: ResultSink): void {
  const error = toTrellisError(failure)
  if (error.status >= 500 && error.cause !== undefined && error.internal === undefined) {
    const { cause } = error
    const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    context.engine.observe.log({ type: 'unstructured', level: 'error', detail })
  }
  if (refusals.has(error.code) || !isOfRunning(error)) refuse(error, context, sink)
  else {
    sink.result(failedResult(error, context))
    sink.done()
  }
}

/** Errors of an operation that ran: of the database, or of its time. */
const isOfRunning = ({ code, internal }: TrellisError): boolean =>
  internal !== undefined || runningCodes.has(code) || code.startsWith('constraint-')
const runningCodes: ReadonlySet<string> = new Set([
  'data-exception',
  'permission-error',
  'postgres-error',
  'time-limit-exceeded',
  'unexpected',
])

function refuse(error: TrellisError, context: OperationContext, sink: ResultSink): void {
  sink.refused(JSON.stringify(errorValue(error, context)), error)
  sink.done()
}

/** One error as it stands where `isFlat` says; never with its internals. */
function errorValue(error: TrellisError, { engine, isFlat }: Pick<OperationContext, 'engine' | 'isFlat'>): unknown {
  const shown = inDialect(error, engine.settings)
  return isFlat ? flatError(shown, false) : graphqlError(shown, false)
}

/** The result of an operation that failed while it ran. */
const failedResult = (error: TrellisError, context: OperationContext): string =>
  `{"data":null,"errors":[${JSON.stringify(errorValue(error, context))}]}`

function logQuery(
  { query, variables, operationName }: GraphQLRequest,
  generated_sql: QueryLog['generated_sql'],
  { engine, headers }: OperationContext,
): void {
  if (!engine.observe.isEnabled('query-log', 'info')) return
  const request = { query, ...(variables && { variables }), ...(operationName !== null && { operationName }) }
  const detail = { request_id: requestIdOf(headers), query: request, generated_sql }
  engine.observe.log({ type: 'query-log', level: 'info', detail })
}

/** The id that a client chose for all that it asks, else a new one. */
const requestIdOf = (headers: Readonly<Record<string, string>>): string => headers['x-request-id'] || randomUUID()
