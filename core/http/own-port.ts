// Serves routes on a separate port, where requests are neither measured nor limited.

import type { AuthService } from '../auth/auth.ts'
import type { Observer } from '../log/observe.ts'
import { takeBodiesAsBytes } from './body/body-reading.ts'
import { listen } from './listen.ts'
import type { ServerSettings } from './options.ts'
import type { Route } from './route/declared-route.ts'
import type { RouteContext } from './route/route.ts'
import { createHttp, mountRoute } from './server.ts'

/** Describes a separate port and its routes. */
export interface OwnPort {
  /** 0 takes a free port. */
  readonly port: number
  /** The flag that chose the port, for the error message. */
  readonly flag: string
  readonly routes: readonly Route[]
}

/** The parts of the server that a separate port needs. */
export interface OwnPortContext {
  readonly settings: ServerSettings
  readonly observe: Observer
  readonly auth: Pick<AuthService, 'authenticate'>
}

/** Serves on the server's address and with its limits until `close` is called. */
export async function serveOnOwnPort(
  { port: serverPort, flag, routes }: OwnPort,
  { settings, observe, auth }: OwnPortContext,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const http = createHttp({ settings, observe, auth: null })
  const context: RouteContext = { settings, observe, auth, hooks: { request: null, admission: null } }
  await http.app.register(async (scope) => {
    takeBodiesAsBytes(scope, settings.maxBodySize)
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
