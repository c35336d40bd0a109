// One message of the Model Context Protocol, by its SDK. The SDK is large, so this file is loaded with the first message.

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { RouteCall } from '../../sdk/http.ts'
import { badRequest, stackOf, toTrellisError, version } from '../../sdk/index.ts'
import { RpcError, rpcCodes } from './errors.ts'
import type { Tools } from './offers.ts'
import type { McpEngine } from './options.ts'
import { longestNameShown, toolsPerPage } from './tuning.ts'

/** A caller with its tools. */
export interface Caller {
  readonly engine: McpEngine
  readonly call: RouteCall
  readonly tools: () => Promise<Tools>
}

const instructions = [
  'Each tool runs a GraphQL operation with the permissions of your role, and answers with its JSON.',
  'An error has a message and a code. Correct the arguments that its message names.',
].join(' ')

/** The SDK compiles schemas only for features that are not used here; its own validator takes long to create. */
const noValidator = {
  getValidator(): never {
    throw new Error('there is nothing to validate')
  },
}

/** Answers a message. Each has a server of its own, so that any instance can answer any message of a session. */
export async function answerMessage(message: unknown, caller: Caller): Promise<Response> {
  const server = serverFor(caller)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport as Parameters<typeof server.connect>[0])
  try {
    return await transport.handleRequest(requestOf(caller.call), { parsedBody: message })
  } finally {
    await server.close()
  }
}

/** The headers that the SDK checks. */
const checkedHeaders = ['accept', 'content-type', 'mcp-protocol-version'] as const

function requestOf({ request }: RouteCall): Request {
  const headers = new Headers()
  for (const name of checkedHeaders) {
    const value = request.headers[name]
    if (value !== undefined) headers.set(name, String(value))
  }
  return new Request('http://localhost/v1/mcp', { method: 'POST', headers })
}

function serverFor(caller: Caller): Server {
  const server = new Server(
    { name: 'trellis', version },
    { capabilities: { tools: { listChanged: true } }, instructions, jsonSchemaValidator: noValidator },
  )
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    return answering(caller, async () => page(await caller.tools(), params?.cursor))
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => answering(caller, () => callTool(caller, params)))
  return server
}

/** Tools after the one that a cursor names. */
function page(tools: Tools, cursor: string | undefined) {
  const all = [...tools.values()].map(({ description }) => description)
  const start = cursor === undefined ? 0 : all.findIndex(({ name }) => name === cursor) + 1
  if (cursor !== undefined && start === 0) throw refused(badRequest('not-exists', 'the cursor is of another list'))
  const shown = all.slice(start, start + toolsPerPage)
  const last = shown.at(-1)
  return { tools: shown, ...(last && start + shown.length < all.length && { nextCursor: last.name }) }
}

interface Call {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
}

async function callTool({ call, tools }: Caller, { name, arguments: given = {} }: Call) {
  const tool = (await tools()).get(name)
  if (!tool) throw refused(badRequest('not-exists', `there is no tool "${name.slice(0, longestNameShown)}"`))
  const { text, isError } = await tool.run(given, call)
  return { content: [{ type: 'text' as const, text }], isError }
}

const refused = (error: ReturnType<typeof badRequest>) => new RpcError(rpcCodes.invalidParams, error)

/** Runs a handler; the SDK would show the message of an unexpected error to the client. */
async function answering<T>({ engine }: Caller, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RpcError) throw error
    engine.observe.log({ type: 'unstructured', level: 'error', detail: stackOf(error) })
    throw new RpcError(rpcCodes.internalError, toTrellisError(error))
  }
}
