// The endpoints for metrics and their access checks.

import { type Route, type RouteCall, secretCheck } from '../../sdk/http.ts'
import { badRequest, type Engine, isAdmin, unauthorized } from '../../sdk/index.ts'

/** The metrics of the server as text. */
interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** Throws if a request may not read metrics. */
type Check = (call: RouteCall) => void | Promise<void>

/** The endpoint on the server's port: needs the secret, or the role admin if there is no secret. */
export const publicRoute = (engine: Engine, metrics: MetricsText, secret: string | null): Route =>
  route('/v1/metrics', metrics, tokenCheck(secret) ?? ((call) => requireAdmin(engine, call)))

/** The endpoints on the separate port: need the secret, if there is one. */
export const ownRoutes = (metrics: MetricsText, secret: string | null): Route[] =>
  ['/metrics', '/v1/metrics'].map((url) => route(url, metrics, tokenCheck(secret) ?? (() => {})))

const route = (url: string, metrics: MetricsText, check: Check): Route => ({
  method: 'GET',
  url,
  auth: 'none',
  about: { summary: 'Metrics of the server, for Prometheus', contentType: 'text/plain' },
  async handle(call) {
    await check(call)
    call.reply.header('content-type', metrics.contentType)
    return metrics.text()
  },
})

/** The check of `--metrics-secret`; null if it is not set. */
function tokenCheck(secret: string | null): Check | null {
  if (secret === null) return null
  const isSecret = secretCheck(secret)
  return ({ request, reply }) => {
    const [, token = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? []
    // Node decodes header bytes as Latin-1.
    if (isSecret(Buffer.from(token, 'latin1'))) return
    reply.header('www-authenticate', 'Bearer')
    throw unauthorized('metrics require the secret as a bearer token')
  }
}

async function requireAdmin({ auth }: Engine, { request }: RouteCall): Promise<void> {
  const session = await auth.authenticate(request.headers, request.raw.rawHeaders)
  if (!isAdmin(session)) throw badRequest('access-denied', 'You have to be an admin to access this endpoint')
}
