// Clients of the SDK, connected to a server.

import type { TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { atEnd } from '../support/cleanup.ts'

/** The answer of a tool: its JSON, and whether it is an error. */
export interface Called {
  readonly isError: boolean
  readonly body: unknown
}

export interface TestMcpClient {
  readonly client: Client
  /** The names of all tools. */
  names(): Promise<readonly string[]>
  call(name: string, given?: Record<string, unknown>): Promise<Called>
}

/** Connects a client with these headers, as its users configure it. */
export function mcpClient(
  t: TestContext,
  url: string,
  headers: Readonly<Record<string, string>> = { 'x-service-role': 'reader' },
): Promise<TestMcpClient> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), { requestInit: { headers } })
  return connected(t, transport as Transport)
}

/** Connects a client by a transport. */
export async function connected(t: TestContext, transport: Transport): Promise<TestMcpClient> {
  const client = new Client({ name: 'tests', version: '1.0.0' })
  atEnd(t, () => client.close())
  await client.connect(transport)
  return {
    client,
    async names() {
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    },
    async call(name, given = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: given })
      const [first] = content as readonly { readonly text: string }[]
      return { isError: isError === true, body: JSON.parse(first!.text) }
    },
  }
}
