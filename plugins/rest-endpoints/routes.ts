// `/api/rest/*`: runs the query of the endpoint that a request matches.

import type { Route, RouteCall } from '../../sdk/http.ts'
import { type Engine, TrellisError } from '../../sdk/index.ts'
import { answerGraphQL } from '../graphql/index.ts'
import { bareData } from './answer.ts'
import type { ServedEndpoint, ServedEndpoints } from './metadata.ts'
import { Templates } from './paths.ts'
import { endpointOf, requestedPath, requestVariables, restPath } from './request.ts'
import { restMethods } from './schema.ts'
import { describedEndpoints } from './swagger.ts'

const none: ServedEndpoints = { all: [], templates: new Templates() }

/** A route for each method. Each request is matched against the endpoints of the served model. */
export const restRoutes = (engine: Engine): Route[] =>
  restMethods.map((method) => ({
    method,
    url: `${restPath}*`,
    api: 'graphql',
    auth: 'session',
    forReaders: true,
    raw: true,
    about: {
      summary: 'Runs the query of a REST endpoint.',
      paths: () => describedEndpoints(engine, method),
    },
    handle: (call) => answer(engine, call),
  }))

function answer(engine: Engine, call: RouteCall): Promise<Buffer | string> {
  const { request, reply } = call
  const path = requestedPath(request.raw.url ?? '')
  const served = endpointOf(engine.model.slices.rest_endpoints ?? none, path, { method: request.method, reply })
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead) refuseMutation(engine, served, reply)
  // The answer depends on the session, which shared caches do not know.
  if (isRead) reply.header('cache-control', 'no-store')
  const variables = requestVariables(call, served, { path, dialect: engine.dialect })
  return variables instanceof Promise
    ? variables.then((read) => run(engine, call, served, read))
    : run(engine, call, served, variables)
}

/** Mutations are not run by GET, as on the paths of GraphQL: links and images of other sites send it. */
function refuseMutation({ dialect }: Engine, { endpoint, query }: ServedEndpoint, reply: RouteCall['reply']): void {
  if (query.kind === 'query' || !dialect.graphqlOverHttp) return
  reply.header('allow', endpoint.methods.filter((method) => method !== 'GET').join(', '))
  throw new TrellisError(405, 'method-not-allowed', 'mutations are not run by GET')
}

async function run(
  engine: Engine,
  call: RouteCall,
  { query }: ServedEndpoint,
  variables: Readonly<Record<string, unknown>>,
): Promise<Buffer | string> {
  let hasCalls = false
  const given = { query: query.text, operationName: null, variables }
  const body = await answerGraphQL(engine, given, call, {
    schema: 'standard',
    isAlone: true,
    onPrepared(prepared) {
      hasCalls = prepared.calls !== null
    },
  })
  return bareData(body, hasCalls)
}
