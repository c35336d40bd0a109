// Carries messages between a client on standard input and output, and a server over HTTP.

import { finished } from 'node:stream/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { codeOf, messageOf } from '../../core/errors/thrown.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import type { Io } from '../io.ts'
import { bodyOf } from '../target/answers.ts'

/** The endpoint of a server, with the headers of a caller. */
export interface Endpoint {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
}

interface Bridge extends Endpoint {
  readonly streams: ReturnType<Io['streams']>
}

/** Carries messages until the client closes its end. A server that refuses the caller ends it before the first one. */
export async function startBridge({ streams, ...endpoint }: Bridge): Promise<void> {
  await tryEndpoint(endpoint)
  const { input, output } = streams
  const client = new StdioServerTransport(input, output)
  const server = new StreamableHTTPClientTransport(endpoint.url, {
    requestInit: { headers: { ...endpoint.headers } },
    fetch: answeringErrors(endpoint.fetch),
  })
  server.onmessage = (message) => {
    // Later requests name the version that the server chose.
    const result: unknown = 'result' in message ? message.result : null
    if (isJsonObject(result) && typeof result['protocolVersion'] === 'string') {
      server.setProtocolVersion(result['protocolVersion'])
    }
    void client.send(message)
  }
  const underway = new Set<Promise<void>>()
  client.onmessage = (message) => {
    const sent = server
      .send(message)
      .catch((error: unknown) => failed(message, error, (answer) => client.send(answer)))
      .finally(() => underway.delete(sent))
    underway.add(sent)
  }
  await server.start()
  await client.start()
  // A client may also break off.
  await finished(input, { writable: false }).catch(() => {})
  await Promise.allSettled(underway)
  await server.close()
  await client.close()
}

const internalError = -32_603

/** Answers a request that got no answer. */
async function failed(
  message: JSONRPCMessage,
  error: unknown,
  answer: (message: JSONRPCMessage) => Promise<void>,
): Promise<void> {
  if (!('method' in message && 'id' in message)) return
  const reason = `there is no answer from the server: ${reasonOf(error)}`
  await answer({ jsonrpc: '2.0', id: message.id, error: { code: internalError, message: reason } })
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : null
  return codeOf(cause) ?? codeOf(error) ?? messageOf(error)
}

/** An error as HTTP has it, as the answer to its request: the SDK would only show its text. */
const answeringErrors =
  (ask: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await ask(input, init)
    if (response.ok || init?.method !== 'POST' || typeof init.body !== 'string') return response
    const { id } = Object(JSON.parse(init.body))
    if (id === undefined) return response
    const error = errorIn(bodyOf(await response.text())) ?? {
      code: internalError,
      message: `the server answered with status ${response.status}`,
    }
    return Response.json({ jsonrpc: '2.0', id, error })
  }

/** The error in a body of JSON-RPC, or of another endpoint. */
function errorIn(body: unknown): { readonly message: string } | null {
  const { error, code } = Object(body)
  if (typeof error === 'string') return { ...{ code: internalError, message: error }, ...(code && { data: { code } }) }
  return isJsonObject(error) && typeof error['message'] === 'string' ? (error as { message: string }) : null
}

/** Refuses an endpoint that is closed, or that refuses the caller. */
async function tryEndpoint({ url, headers, fetch: ask }: Endpoint): Promise<void> {
  const response = await ask(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  }).catch((error: unknown) => {
    throw new Failure('unreachable', `there is no answer from ${url.origin}: ${reasonOf(error)}`)
  })
  const body = bodyOf(await response.text())
  if (response.ok) return
  if (response.status === 404) {
    throw new Failure('failed', 'the server has no API mcp: start it with --enabled-apis metadata,graphql,mcp')
  }
  const message = errorIn(body)?.message ?? `the server answered with status ${response.status}`
  throw new Failure('failed', `the server refuses the caller: ${message}`)
}
