// Runs the operations of a connection: one answer for a query or mutation, several for a subscription. Each operation passes all
// checks of HTTP requests.

import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../../sdk/graphql.ts'
import { type Applicant, inDialect, toAnswerable } from '../../../sdk/http.ts'
import { type Engine, flatError, graphqlError, TrellisError } from '../../../sdk/index.ts'
import type { Caller, QueryLog } from '../../../sdk/services.ts'
import type { FeedSink } from '../live/feeds.ts'
import type { LiveSink } from '../live/groups/cohort.ts'
import type { LiveQueries, LiveSubscription } from '../live/live-queries.ts'

/** The context of operations. */
export interface OperationContext {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly schema: SchemaKind
  /** Whether errors have the flat form of `/v1alpha1/graphql`. */
  readonly isFlat: boolean
  readonly applicant: Applicant
  readonly caller: Caller
  /** Whether the HTTP request that carried it was admitted already. */
  readonly isAdmitted: boolean
  /** The headers of the client, forwarded to webhooks and remote schemas. */
  readonly headers: Readonly<Record<string, string>>
  /** The id in the log lines of the operation. */
  readonly requestId: string
}

/** The receiver of an operation's results. */
export interface ResultSink {
  /** Whether the client is slow to receive. */
  readonly isFull: boolean
  /** Resolves when more can be sent, or when the connection has ended. */
  room(): Promise<void>
  /** A result of its own: of a query, a mutation or a stream. */
  result(body: Buffer | string): void
  /** A result of a subscription that replaces the ones before. */
  state(body: Buffer): void
  /** The operation was refused or has failed; `text` is the error as JSON. */
  refused(text: string, refusal: Refusal): void
  /** The operation is complete. */
  done(): void
}

/** The reason of a refusal, and the refused request. */
export interface Refusal {
  readonly error: TrellisError
  readonly request: GraphQLRequest | null
}

/** A running operation. */
export interface RunningOperation {
  readonly operationName: string | null
  readonly requestId: string
  /** Resolves when a query or mutation is answered, or a subscription has begun. */
  readonly begun: Promise<void>
  stop(): void
}

/** Codes of errors in the request, wherever they were found. */
const refusals: ReadonlySet<string> = new Set(['validation-failed', 'parse-failed', 'not-found', 'not-supported'])

/** Reads a request and runs it; throws if it is malformed. */
export const runOperation = (payload: unknown, context: OperationContext, sink: ResultSink): RunningOperation =>
  new Operation(readGraphQLRequest(payload), context, sink)

/** Each subscriber has one, so it keeps little memory. */
class Operation implements RunningOperation, LiveSink {
  readonly operationName: string | null
  readonly begun: Promise<void>
  readonly #context: OperationContext
  readonly #sink: ResultSink
  #isStopped = false
  /** Whether the operation was planned: an error is that of its run then. */
  #isPlanned = false
  /** Of operations other than live queries. */
  #controller: AbortController | null = null
  #subscription: LiveSubscription | null = null
  /** The request until the live query has started. */
  #starting: GraphQLRequest | null = null

  constructor(request: GraphQLRequest, context: OperationContext, sink: ResultSink) {
    this.operationName = request.operationName
    this.#context = context
    this.#sink = sink
    const { engine, applicant, isAdmitted } = context
    const run = () => this.#run(request)
    this.begun = (isAdmitted ? run() : engine.admission.admit(applicant, run)).catch((failure: unknown) => {
      if (!this.#isStopped) this.#answerFailure({ error: toAnswerable(failure, engine.observe), request })
    })
  }

  async #run(request: GraphQLRequest): Promise<void> {
    if (this.#isStopped) return
    const { engine, schema, applicant, headers, requestId, caller } = this.#context
    const { kind } = engine.graphql.operation(request)
    if (kind === 'subscription') {
      this.#subscribe(request)
      return
    }
    const controller = new AbortController()
    this.#controller = controller
    const onPlanned = (generatedSql: QueryLog['generated_sql']) => {
      this.#isPlanned = true
      logQuery(request, generatedSql, this.#context)
    }
    const extras = { schema, headers, requestId, caller, onPlanned, whenUnwanted: () => controller.signal }
    const body = await engine.graphql.execute(request, applicant.session, extras)
    if (this.#isStopped) return
    this.#sink.result(body)
    this.#sink.done()
  }

  get requestId(): string {
    return this.#context.requestId
  }

  stop(): void {
    this.#isStopped = true
    this.#controller?.abort(disconnected())
    this.#subscription?.leave()
  }

  get isFull(): boolean {
    return this.#sink.isFull
  }

  room(): Promise<void> {
    return this.#sink.room()
  }

  append(body: Buffer): void {
    this.#sink.result(body)
  }

  next(body: Buffer): void {
    this.#sink.state(body)
  }

  fail(error: TrellisError): void {
    this.#sink.state(Buffer.from(failedResult(error, this.#context)))
  }

  end(error: TrellisError): void {
    this.#subscription?.leave()
    refuse({ error, request: this.#request }, this.#context, this.#sink)
  }

  #answerFailure(refusal: Refusal): void {
    const { error } = refusal
    const context = this.#context
    const isOfRun = this.#isPlanned && context.engine.settings.graphqlInterface === '2'
    if (!isOfRun && (refusals.has(error.code) || !isOfRunning(error))) {
      refuse(refusal, context, this.#sink)
      return
    }
    this.#sink.result(failedResult(error, context))
    this.#sink.done()
  }

  #subscribe(request: GraphQLRequest): void {
    const { engine, live, schema, applicant, headers, caller } = this.#context
    const { session } = applicant
    logQuery(request, null, this.#context)
    const planned = engine.graphql.plan(request, session, { schema })
    if (planned.prepared.feed) {
      this.#controller = new AbortController()
      const sink = feedSink(request, this.#context, this.#sink)
      void live.feeds.run(planned, { request, session, schema, headers }, sink, this.#controller.signal)
      return
    }
    this.#starting = request
    this.#subscription = live.start({ request, session, schema, caller, headers }, this)
    this.#starting = null
  }

  /** The request of a live query; its text is shared by the group. */
  get #request(): GraphQLRequest | null {
    return this.#subscription?.request ?? this.#starting
  }
}

const disconnected = () => new TrellisError(499, 'client-gone', 'the client does not wait for the answer')

const feedSink = (request: GraphQLRequest, context: OperationContext, sink: ResultSink): FeedSink => ({
  room: () => sink.room(),
  next: (body) => sink.result(body),
  fail: (error) => sink.result(failedResult(error, context)),
  end: (error) => (error ? refuse({ error, request }, context, sink) : sink.done()),
})

/** Whether the operation ran before it failed: an error of the database, or its time limit. */
const isOfRunning = ({ code, internal }: TrellisError): boolean =>
  internal !== undefined || runningCodes.has(code) || code.startsWith('constraint-')
const runningCodes: ReadonlySet<string> = new Set([
  'data-exception',
  'permission-error',
  'postgres-error',
  'time-limit-exceeded',
  'unexpected',
])

function refuse(refusal: Refusal, context: OperationContext, sink: ResultSink): void {
  sink.refused(JSON.stringify(errorValue(refusal.error, context)), refusal)
  sink.done()
}

/** An error in the form of the endpoint, without internals. */
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
  { engine, requestId }: OperationContext,
): void {
  if (!engine.observe.isEnabled('query-log', 'info')) return
  const request = { query, ...(variables && { variables }), ...(operationName !== null && { operationName }) }
  const detail = { request_id: requestId, query: request, generated_sql }
  engine.observe.log({ type: 'query-log', level: 'info', detail })
}
