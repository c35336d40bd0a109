// GraphQL over HTTP: one request or a batch.

import { type GraphQLRequest, type RequestExtras, readGraphQLRequest, type SchemaKind } from '../../sdk/graphql.ts'
import {
  applicantOf,
  callerOf,
  disconnectSignal,
  type ErrorEncoder,
  foreignHeader,
  inDialect,
  type Route,
  type RouteCall,
  type RouteRequest,
  readJsonInTurns,
  toAnswerable,
} from '../../sdk/http.ts'
import { type Engine, graphqlError, isAdmin, type Session, TrellisError } from '../../sdk/index.ts'
import { type QueryLog, TurnTaker } from '../../sdk/services.ts'
import { type EventStreams, streamTokenHeader, wantsEvents } from './event-streams.ts'
import { answeringGet, errorsOfGet } from './get.ts'
import { GraphQLAnswer, GraphQLBody } from './schema.ts'

/** `/v1/graphql` answers errors with 200 unless the client asks otherwise, `/v1alpha1/graphql` with their status. */
export function graphqlRoutes(engine: Engine, events: EventStreams): Route[] {
  const common = { schema: 'standard', events } as const
  const [post, get] = graphqlEndpoint(engine, { ...common, url: '/v1/graphql', errors: alwaysOk(engine) })
  const others = graphqlEndpoint(engine, { ...common, url: '/v1alpha1/graphql', errors: withStatus })
  return [{ ...post, shownAs: 'GraphQL' }, get, ...others]
}

interface EndpointOptions {
  readonly url: string
  readonly schema: SchemaKind
  readonly errors: ErrorEncoder
  readonly events: EventStreams
}

/** An endpoint for GraphQL requests against one of the role's schemas: its routes for POST and for GET. */
export function graphqlEndpoint(engine: Engine, { url, schema, errors, events }: EndpointOptions): [Route, Route] {
  const common = { url, api: 'graphql', auth: 'session', raw: true, forReaders: true } as const
  const clients = schema === 'relay' ? ' of Relay' : ''
  const alone = { schema, isAlone: true }
  return [
    {
      ...{ ...common, method: 'POST', errors },
      about: { summary: `Answers GraphQL requests${clients}.`, body: GraphQLBody, result: GraphQLAnswer },
      handle: answering(engine, alone, events),
    },
    {
      ...{ ...common, method: 'GET', errors: errorsOfGet(errors) },
      about: {
        summary: `Answers GraphQL queries${clients} in the URL, and opens streams of events.`,
        result: GraphQLAnswer,
      },
      ...answeringGet({ engine, schema, events, answer: (given, call) => answerRequest(engine, given, call, alone) }),
    },
  ]
}

/** Answers errors with status 200, or with their own to clients that want the media type which says so. */
export const alwaysOk =
  ({ dialect }: Pick<Engine, 'dialect'>): ErrorEncoder =>
  (error, showInternal, headers) => {
    const { accept } = headers
    const isForStream = wantsEvents(accept) || headers[streamTokenHeader] !== undefined
    // Proxies and clients have to see the status if the server did not serve a correct request, or if the body is not JSON.
    const isSeen = unserved.has(error.status) || (dialect.graphqlOverHttp && error.code === 'invalid-json')
    // Clients of the other dialect would read an error with status 200 as an answer to the role they asked for.
    const isForeign = error.code === 'invalid-headers' && foreignHeader(headers, dialect) !== null
    if (isSeen || isForeign || wantsGraphQLResponse(accept) || isForStream)
      return withStatus(error, showInternal, headers)
    return { status: 200, body: errorBody(error, showInternal) }
  }

const unserved: ReadonlySet<number> = new Set([405, 415, 503])

const withStatus: ErrorEncoder = (error, showInternal, { accept }) => ({
  status: error.status,
  body: errorBody(error, showInternal),
  ...(wantsGraphQLResponse(accept) && { contentType: graphqlResponse }),
})

const errorBody = (error: TrellisError, showInternal: boolean) => ({ errors: [graphqlError(error, showInternal)] })

const answering = (engine: Engine, alone: AnswerOptions, events: EventStreams) => (call: RouteCall) => {
  const serveEvents = events.for(call)
  return serveEvents ? serveEvents(call, alone.schema) : answer(engine, call, alone, events)
}

function answer(engine: Engine, call: RouteCall, alone: AnswerOptions, events: EventStreams): unknown {
  if (engine.dialect.graphqlOverHttp) requireType(call.request)
  const body = readJsonInTurns(call.body as Buffer, 'lossless')
  if (!(body instanceof Promise)) return answerBody(engine, body, call, { alone, events })
  return body.then((read) => answerBody(engine, read, call, { alone, events }))
}

function answerBody(
  engine: Engine,
  body: unknown,
  call: RouteCall,
  { alone, events }: { readonly alone: AnswerOptions; readonly events: EventStreams },
): unknown {
  const serveEvents = events.forSubscription(call)
  if (serveEvents && isSubscription(engine, body)) return serveEvents(call, alone.schema)
  if (Array.isArray(body)) return answerBatch(engine, body, call, { ...alone, isAlone: false })
  return answerRequest(engine, readGraphQLRequest(body), call, alone)
}

/** Answers the one request of a call, in the media type that its client wants. */
function answerRequest(
  engine: Engine,
  given: GraphQLRequest,
  call: RouteCall,
  options: AnswerOptions,
): Promise<Buffer | string> {
  if (wantsGraphQLResponse(call.request.headers.accept)) call.reply.header('content-type', graphqlResponse)
  return answerGraphQL(engine, given, call, options)
}

/** Refuses a body without a type; `fetch` calls it plain text where none is given. */
function requireType({ headers }: RouteRequest): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
  if (type.trim() !== '' && type.trim().toLowerCase() !== 'text/plain') return
  throw new TrellisError(415, 'invalid-headers', 'the Content-Type of a GraphQL request has to be application/json')
}

/** Whether a request's body asks for a subscription; one that cannot be read does not. */
function isSubscription({ graphql }: Engine, body: unknown): boolean {
  try {
    return graphql.operation(readGraphQLRequest(body)).kind === 'subscription'
  } catch {
    return false
  }
}

/** How one request is answered. */
export interface AnswerOptions extends Pick<RequestExtras, 'onPrepared' | 'whenUnwanted'> {
  readonly schema: SchemaKind
  /** Whether the response is its own, and so takes the headers that calls give. */
  readonly isAlone: boolean
}

const showsInternal = ({ settings }: Engine, session: Session): boolean =>
  settings.devMode || (settings.adminInternalErrors && isAdmin(session))

/** Runs one request of a call, with its log line; throws a TrellisError. */
export function answerGraphQL(
  engine: Engine,
  given: GraphQLRequest,
  call: RouteCall,
  { schema, isAlone, onPrepared, whenUnwanted }: AnswerOptions,
): Promise<Buffer | string> {
  const { session, request, reply } = call
  const logs = engine.observe.isEnabled('query-log', 'info')
  return engine.graphql.execute(given, session, {
    schema,
    headers: request.headers,
    requestId: request.id,
    whenUnwanted: whenUnwanted ?? disconnectSignal(reply),
    caller: callerOf(call, engine.settings),
    response: isAlone ? reply : undefined,
    showInternal: showsInternal(engine, session),
    onPrepared,
    onPlanned: logs ? (prepared) => logQuery(engine, request.id, given, prepared) : undefined,
  })
}

function logQuery(
  engine: Engine,
  requestId: string,
  { query, operationName, variables }: GraphQLRequest,
  generatedSql: QueryLog['generated_sql'],
): void {
  const detail = {
    request_id: requestId,
    query: { query, ...(variables && { variables }), ...(operationName !== null && { operationName }) },
    generated_sql: generatedSql,
  }
  engine.observe.log({ type: 'query-log', level: 'info', detail })
}

/** Requests of a batch run one after another; one that fails does not stop the rest. */
const answerBatch = (engine: Engine, bodies: readonly unknown[], call: RouteCall, options: AnswerOptions) =>
  engine.admission.admitBatch(applicantOf(call), bodies.length, () => answerEach(engine, bodies, call, options))

async function answerEach(
  engine: Engine,
  bodies: readonly unknown[],
  call: RouteCall,
  options: AnswerOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = [Buffer.from('[')]
  const turns = new TurnTaker()
  for (const [i, body] of bodies.entries()) {
    if (i > 0) pieces.push(Buffer.from(','))
    const result = await answerOrFailure(engine, body, call, options)
    pieces.push(typeof result === 'string' ? Buffer.from(result) : result)
    await turns.next()
  }
  pieces.push(Buffer.from(']'))
  return Buffer.concat(pieces)
}

async function answerOrFailure(
  engine: Engine,
  body: unknown,
  call: RouteCall,
  options: AnswerOptions,
): Promise<Buffer | string> {
  try {
    return await answerGraphQL(engine, readGraphQLRequest(body), call, options)
  } catch (error) {
    return failedAnswer(engine, error, call.session)
  }
}

/** The answer of a request that failed; an unexpected error is logged, and not shown. */
export function failedAnswer(engine: Engine, error: unknown, session: Session): string {
  const { settings, observe } = engine
  return JSON.stringify(errorBody(inDialect(toAnswerable(error, observe), settings), showsInternal(engine, session)))
}

/** The media type of "GraphQL over HTTP". */
const graphqlResponse = 'application/graphql-response+json; charset=utf-8'

const media = { response: 'application/graphql-response+json', json: 'application/json' } as const

/** Whether an `Accept` header names `application/graphql-response+json` and does not prefer plain JSON. */
function wantsGraphQLResponse(accept: string | undefined): boolean {
  // Nearly all requests end here.
  if (!accept?.includes(media.response)) return false
  const weights = new Map(accept.split(',').map(weighted))
  const weight = weights.get(media.response) ?? 0
  return weight > 0 && weight >= (weights.get(media.json) ?? 0)
}

function weighted(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice('q='.length))
  return [type, Number.isNaN(weight) ? 0 : weight]
}
