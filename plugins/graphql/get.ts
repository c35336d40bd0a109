// GET on the paths of GraphQL: queries in the URL, streams of events, and a page for browsers.

import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../sdk/graphql.ts'
import { type ErrorEncoder, type Route, type RouteCall, type RouteRequest, readJson } from '../../sdk/http.ts'
import { type Engine, flatError, notFound, TrellisError } from '../../sdk/index.ts'
import { type EventStreams, streamTokenOf, wantsEvents } from './event-streams.ts'
import { browserPage, isForBrowser } from './page.ts'

interface GetOptions {
  readonly engine: Engine
  readonly schema: SchemaKind
  readonly events: EventStreams
  /** Runs a query. */
  answer(given: GraphQLRequest, call: RouteCall): unknown
}

/** How GET is answered. Reserved streams, and requests that run nothing, are open to all. */
export function answeringGet({ engine, schema, events, answer }: GetOptions): Pick<Route, 'isOpen' | 'handle'> {
  const { dialect, graphql } = engine
  const forEvents = ({ headers }: RouteRequest) => (wantsEvents(headers.accept) ? events.server : null)
  const runsNothing = (request: RouteRequest): boolean =>
    forEvents(request) ? streamTokenOf(request) !== null : isForBrowser(request) || !dialect.graphqlOverHttp
  return {
    isOpen: runsNothing,
    handle(call) {
      const { request, reply } = call
      const server = forEvents(request)
      const token = server && streamTokenOf(request)
      if (server && token !== null) return server.open(token, call)
      if (!server && isForBrowser(request)) return browserPage(engine, reply)
      if (runsNothing(request)) throw notFound()
      const given = readGraphQLRequest(requestInQuery(request))
      if (graphql.operation(given).kind === 'mutation') {
        reply.header('allow', 'POST')
        throw new TrellisError(405, 'method-not-allowed', 'mutations are not run by GET')
      }
      if (server) return server.run(given, call, schema)
      // The answer is that of a session, which caches on the way do not know.
      reply.header('cache-control', 'no-store')
      return answer(given, call)
    },
  }
}

/** A request as the parameters of a URL have it. */
function requestInQuery({ query: parameters }: RouteRequest): unknown {
  const { query, operationName, variables } = parameters
  const isText = typeof variables === 'string' && variables !== ''
  const given = isText ? readJson(Buffer.from(variables), 'lossless') : variables || undefined
  return { query, operationName, variables: given }
}

/** Errors of streams, and those of paths that are not there, are flat, as of all other routes. */
export const errorsOfGet =
  (errors: ErrorEncoder): ErrorEncoder =>
  (error, showInternal, headers) =>
    error.status === 404 || wantsEvents(headers.accept)
      ? { status: error.status, body: flatError(error, showInternal) }
      : errors(error, showInternal, headers)
