// An HTTP server with the routes of a test, without a database.

import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { Auth } from '../../core/auth/auth.ts'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { WorkHooks } from '../../core/engine/work-hooks.ts'
import { takeBodiesAsBytes } from '../../core/http/body/body-reading.ts'
import { listen } from '../../core/http/listen.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import { createHttp, mountRoute } from '../../core/http/server.ts'
import { type LogEntry, type Observer, silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'

export interface TestServer {
  readonly port: number
  readonly url: string
  readonly auth: Auth
  close(): Promise<void>
}

/** Serves routes on a free port until the test ends. */
export async function serveRoutes(
  t: TestContext,
  routes: readonly Route[],
  options: { readonly settings?: GivenSettings; readonly observe?: Observer } = {},
): Promise<TestServer> {
  const given = { serverHost: '127.0.0.1', serverPort: 0, gracefulShutdownTimeout: 1, ...options.settings }
  const settings = defaultSettings(given)
  const auth = new Auth(settings, dialects[settings.dialect])
  const observe = options.observe ?? silentObserver
  const context = { settings, auth, observe, hooks: new WorkHooks() }
  const server = createHttp(context)
  await server.app.register(async (scope) => {
    takeBodiesAsBytes(scope, settings.maxBodySize)
    for (const route of routes) mountRoute(scope, route, context)
  })
  const port = await listen(server, settings)
  t.after(() => server.close())
  return { port, url: `http://127.0.0.1:${port}`, auth, close: () => server.close() }
}

/** An observer that keeps its entries. */
export function recordingObserver(): Observer & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = []
  return { entries, isEnabled: () => true, log: (entry) => entries.push(entry), flush: () => {} }
}

/** A raw connection, for requests that HTTP clients cannot send. */
export async function openConnection(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}
