// The endpoint of an engine in this process, which is asked without a port.

import { Readable } from 'node:stream'
import type { RunningEngine } from '../../core/engine/engine.ts'
import type { Flags, Io } from '../io.ts'
import { startEngine } from '../target/in-process.ts'
import type { Endpoint } from './bridge.ts'

interface Given {
  readonly databaseUrl: string
  readonly io: Io
  readonly dialect: 'trellis' | 'hasura'
  readonly flags: Flags
  readonly headers: Readonly<Record<string, string>>
}

/** Starts the engine. It only answers: deliveries and actions of the database are left to its servers. */
export async function engineEndpoint({ databaseUrl, io, dialect, flags, headers }: Given) {
  const { engine, place } = await startEngine(databaseUrl, io, dialect, {
    enabledApis: ['mcp'],
    mcpMutations: flags['mutations'] === true,
    mcpFreeQueries: flags['free-queries'] === true,
    mcpAllowAdmin: flags['allow-admin'] === true,
    ...{ eventsFetchBatchSize: 0, asyncActionsFetchInterval: 0 },
  })
  const url = new URL('http://localhost/v1/mcp')
  const endpoint: Endpoint = { url, headers, fetch: injecting(engine) }
  return { ...endpoint, label: place, close: () => engine.close() }
}

/** `fetch` that asks the engine. */
const injecting = ({ app }: RunningEngine): typeof fetch =>
  async function ask(input, init = {}) {
    const answer = await app.inject({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: new URL(String(input)).pathname,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { payload: init.body }),
      ...(init.signal && { signal: init.signal }),
      payloadAsStream: true,
    })
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
    const body = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    return new Response(body, { status: answer.statusCode, headers })
  }
