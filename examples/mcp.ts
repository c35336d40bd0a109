// An MCP server: the queries of the allow-list are tools for language models, with the permissions of the caller.
//
//   trellis serve --plugin ./mcp.ts
//   POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

import {
  badRequest,
  definePlugin,
  type Engine,
  type ErrorEncoder,
  type JsonSchema,
  type RouteCall,
  type Session,
  version,
} from 'trellis'
import { allowedQueries } from 'trellis/collections'

/** The newest version of the protocol that it speaks. */
const protocolVersion = '2025-06-18'

/** A request of JSON-RPC; a notification has no `id`. */
interface Call {
  readonly id?: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

function callOf(body: unknown): Call {
  const { jsonrpc, id, method, params = {} } = Object(body)
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    throw badRequest('bad-request', 'a request of JSON-RPC 2.0 is required')
  return { id, method, params: Object(params) }
}

/** The queries that the caller may run, by the names of their tools. */
function queriesOf({ metadata }: Engine, session: Session): ReadonlyMap<string, string> {
  const queries = allowedQueries(metadata.service.document, session)
  return new Map(queries.map(({ collection, name, query }) => [`${collection}_${name}`.replace(/[^\w-]/g, '_'), query]))
}

/** The tools of a role: a query that it may not run is left out. */
function toolsOf(engine: Engine, session: Session): Tool[] {
  return [...queriesOf(engine, session)].flatMap(([name, query]) => {
    try {
      const operation = engine.graphql.operation({ query, operationName: null })
      return { name, description: query, inputSchema: engine.graphql.variablesSchema(operation, session) }
    } catch {
      return []
    }
  })
}

/** The result of a query as text; errors of GraphQL are the tool's, so that the model can correct its arguments. */
async function runTool(engine: Engine, { params }: Call, { session, request }: RouteCall) {
  const query = queriesOf(engine, session).get(String(params['name']))
  if (query === undefined) throw badRequest('not-exists', `there is no tool "${params['name']}"`)
  const asked = { query, operationName: null, variables: Object(params['arguments']) }
  const answer = (text: string, isError: boolean) => ({ content: [{ type: 'text', text }], isError })
  try {
    const text = String(await engine.graphql.execute(asked, session, { headers: request.headers }))
    return answer(text, 'errors' in JSON.parse(text))
  } catch (error) {
    // A refusal is worded for the caller; anything else is a fault of the server.
    if (Object(error).status >= 400 && Object(error).status < 500) return answer(Object(error).message, true)
    throw error
  }
}

function resultOf(engine: Engine, call: Call, route: RouteCall): unknown {
  switch (call.method) {
    case 'initialize':
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'trellis', version } }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: toolsOf(engine, route.session) }
    case 'tools/call':
      return runTool(engine, call, route)
    default:
      throw badRequest('not-exists', `there is no method "${call.method}"`)
  }
}

/** Errors in the form of JSON-RPC, also those of authentication and of a body that is not JSON. */
const errors: ErrorEncoder = ({ status, code, message }) => {
  const number = code === 'invalid-json' ? -32_700 : code === 'not-exists' ? -32_601 : status < 500 ? -32_600 : -32_603
  return { status, body: { jsonrpc: '2.0', id: null, error: { code: number, message } } }
}

export default definePlugin({
  name: 'mcp',
  dependencies: ['collections', 'graphql'],
  register(engine) {
    engine.routes.add({
      method: 'POST',
      url: '/mcp',
      auth: 'session',
      errors,
      async handle(route) {
        const call = callOf(route.body)
        if (call.id === undefined) return void route.reply.code(202)
        return { jsonrpc: '2.0', id: call.id, result: await resultOf(engine, call, route) }
      },
    })
  },
})
