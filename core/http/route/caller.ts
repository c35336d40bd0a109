// Identifies clients for limits per caller.

import type { Caller } from '../../concurrency/shares.ts'
import type { Session } from '../../session/session.ts'
import { clientNetwork } from './client-network.ts'
import type { RouteCall } from './declared-route.ts'

/** The origin of a request. */
export interface Origin {
  readonly headers: RouteCall['request']['headers']
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export class ClientCaller implements Caller {
  readonly connection: object
  readonly #session: Session
  readonly #origin: Origin
  readonly #proxies: number

  /** `connection` identifies one client; `proxies` is the number of trusted proxies that add to `X-Forwarded-For`. */
  constructor(connection: object, session: Session, origin: Origin, proxies: number) {
    this.connection = connection
    this.#session = session
    this.#origin = origin
    this.#proxies = proxies
  }

  get session(): string {
    return JSON.stringify(this.#session.variables)
  }

  get network(): string {
    const { headers, socket } = this.#origin
    return clientNetwork({ headers, address: socket.remoteAddress ?? '' }, this.#proxies)
  }
}

/** Identifies the client of an HTTP request. Its keys are computed only when a limit reads them. */
export const callerOf = (
  { session, request }: Pick<RouteCall, 'session' | 'request'>,
  { trustedProxies }: { readonly trustedProxies: number },
): Caller => new ClientCaller(request.socket, session, request, trustedProxies)

/** The request and its program, for records of changes. */
export const originOf = ({ request }: Pick<RouteCall, 'request'>) => ({
  requestId: String(request.id),
  agent: request.headers['user-agent'],
})
