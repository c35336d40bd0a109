// Routes on a port of their own, beside the server's: what is asked there is neither measured nor limited.

import type { AuthService } from '../auth/auth.ts'
import type { Observer } from '../log/observe.ts'
import { takeBodiesAsBytes } from './body/body-reading.ts'
import { listen } from './listen.ts'
import type { ServerSettings } from './options.ts'
import type { Route } from './route/declared-route.ts'
import type { RouteContext } from './route/route.ts'
import { createHttp, mountRoute } from './server.ts'

/** What opens a port of its own. */
export interface OwnPort {
  /** 0: a free one. */
  readonly port: number
  /** The flag that chose it, for the advice when it cannot be had. */
  readonly flag: string
  readonly routes: readonly Route[]
}

/** What it takes of the server. */
export interface OwnPortContext {
  readonly settings: ServerSettings
  readonly observe: Observer
  readonly auth: Pick<AuthService, 'authenticate'>
}

/** Serves on the address of the server, with its limits, until it is closed. */
export async function serveOnOwnPort(
  { port: serverPort, flag, routes }: OwnPort,
  { settings, observe, auth }: OwnPortContext,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const http = createHttp({ settings, observe, auth: null })
  const context: RouteContext = { settings, observe, auth, hooks: { request: null, admission: null } }
  await http.app.register(async (scope) => {
    takeBodiesAsBytes(scope)
    for (const route of routes) mountRoute(scope, route, context)
  })
  try {
    const port = await listen(http, { ...settings, serverPort }, flag)
    return { port, close: () => http.close() }
  } catch (error) {
    await http.close()
    throw error
  }
}
