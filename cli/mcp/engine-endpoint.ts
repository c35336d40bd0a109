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

/** Starts the engine, with the API as the flags want it. */
export async function engineEndpoint({ databaseUrl, io, dialect, flags, headers }: Given) {
  const { engine, place } = await startEngine(databaseUrl, io, dialect, {
    enabledApis: ['mcp'],
    mcpMutations: flags['mutations'] === true,
    mcpFreeQueries: flags['free-queries'] === true,
    mcpAllowAdmin: flags['allow-admin'] === true,
  })
  const url = new URL('http://localhost/v1/mcp')
  const endpoint: Endpoint = { url, headers, fetch: injecting(engine) }
  return { ...endpoint, label: place, close: () => engine.close() }
}

/** `fetch` that asks the engine. */
const injecting = ({ app }: RunningEngine): typeof fetch =>
  async function ask(input, init = {}) {
    const url = new URL(String(input)).pathname
    const headers = Object.fromEntries(new Headers(init.headers))
    const signal = init.signal ? { signal: init.signal } : {}
    if (init.method === 'POST') {
      const payload = typeof init.body === 'string' ? { payload: init.body } : {}
      const {
        statusCode: status,
        headers: given,
        rawPayload,
      } = await app.inject({
        ...{ method: 'POST', url, headers },
        ...payload,
        ...signal,
      })
      return new Response(rawPayload.length === 0 ? null : new Uint8Array(rawPayload), { status, headers: sent(given) })
    }
    // Notifications, which have no end.
    const answer = await app.inject({ method: 'GET', url, headers, ...signal, payloadAsStream: true })
    const body = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    return new Response(body, { status: answer.statusCode, headers: sent(answer.headers) })
  }

const sent = (headers: object): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])
