// Runs a plugin's route as a Fastify handler. Checks run in this order: authentication, admission, body, role.

import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Around } from '../../around/around.ts'
import type { Applicant } from '../../auth/admission.ts'
import type { AuthService } from '../../auth/auth.ts'
import { blame } from '../../errors/blame.ts'
import { badRequest, toTrellisError } from '../../errors/errors.ts'
import { isAdmin, refuseReader, type Session } from '../../session/session.ts'
import { readJsonInTurns } from '../body/body.ts'
import { isSendableHeader } from '../node-http.ts'
import type { HttpSettings } from '../options.ts'
import { flatErrors, type HttpContext, sendAnswer, sendError, toAnswerable } from './answer.ts'
import type { Route, RouteCall, RouteRequest } from './declared-route.ts'
import type { RequestHooks, RequestWork } from './exchange.ts'
import { type Exchange, logSuccess } from './exchange.ts'

const noBody = Buffer.alloc(0)

const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : noBody)

function decodeBody(route: Route, bytes: Buffer): unknown | Promise<unknown> {
  if (route.raw) return bytes
  const hasNone = route.method === 'GET' || (route.method === 'DELETE' && bytes.length === 0)
  return hasNone ? undefined : readJsonInTurns(bytes)
}

function requireAdmin(session: Session | null): void {
  if (session && isAdmin(session)) return
  throw badRequest('access-denied', 'You have to be an admin to access this endpoint')
}

/** The parts of the server that serving a request needs. */
export interface RouteContext extends HttpContext {
  readonly settings: HttpContext['settings'] & Pick<HttpSettings, 'maxBodySize'>
  readonly auth: Pick<AuthService, 'authenticate'>
  readonly hooks: RequestHooks
}

/** The request as admission hooks see it. */
export const applicantOf = ({
  session,
  request,
  reply,
}: Pick<RouteCall, 'session' | 'request' | 'reply'>): Applicant => ({
  session,
  headers: request.headers,
  address: request.socket.remoteAddress ?? '',
  setHeader: (name, value) => reply.header(name, value),
})

/** Runs a hook. It must call `run`, throw or answer; otherwise the client would wait forever. */
async function runWithin<Work>(
  around: Around<Work>,
  work: Work,
  { reply, run }: { readonly reply: FastifyReply; readonly run: () => Promise<void> },
): Promise<void> {
  let isRun = false
  await around(work, () => {
    isRun = true
    return run()
  })
  if (!isRun && !reply.sent) throw new Error('a request hook of a plugin must call run(), answer or throw')
}

/** Authenticates, admits and answers a request; never rejects. */
async function serve(work: RequestWork, context: RouteContext): Promise<void> {
  const { route, request, reply, exchange } = work
  try {
    if (route.auth !== 'none' && !route.isOpen?.(request)) {
      const session = context.auth.authenticate(request.headers, request.raw.rawHeaders, bytesOf(request))
      exchange.session = session instanceof Promise ? await session : session
      const around = context.hooks.admission
      if (around) {
        const applicant = applicantOf({ session: exchange.session, request, reply })
        await runWithin(around, applicant, { reply, run: () => answer(work, context) })
        return
      }
    }
    await answer(work, context)
  } catch (error) {
    // The `statusCode` of a library's error may be that of another server's response, and its message may be
    // internal.
    fail(toTrellisError(error), work, context)
  }
}

/** Serves a request within the request hooks, which may throw synchronously or reject. */
async function serveWithin(around: Around<RequestWork>, work: RequestWork, context: RouteContext): Promise<void> {
  try {
    await runWithin(around, work, { reply: work.reply, run: () => serve(work, context) })
  } catch (error) {
    fail(error, work, context)
  }
}

/** Runs a route's handler and sends its result. */
async function answer({ route, request, reply, exchange }: RequestWork, context: RouteContext): Promise<void> {
  const logged = context.observe.isEnabled('http-log', 'info')
  const bytes = bytesOf(request)
  const decoded = decodeBody(route, bytes)
  const body = decoded instanceof Promise ? await decoded : decoded
  if (route.auth === 'admin') requireAdmin(exchange.session)
  if (route.method !== 'GET' && !route.forReaders) refuseReader(exchange.session, 'requests to this endpoint')
  const started = logged ? performance.now() : 0
  // With `auth: 'none'` the session is null, as `Route.handle` documents.
  const call = { session: exchange.session as Session, body, bytes, request, reply }
  let result: unknown
  try {
    result = await route.handle(call)
  } catch (error) {
    throw blame(error, route)
  }
  const ran = logged ? performance.now() - started : 0
  // The handler may have answered by itself, for example with a stream.
  if (reply.sent) {
    if (logged && typeof result === 'number')
      logSuccess(context.observe, request, reply, { exchange, size: result, ran })
    return
  }
  const sent = sendAnswer(request, reply, result, context)
  const size = typeof sent === 'number' ? sent : await sent
  if (logged) logSuccess(context.observe, request, reply, { exchange, size, ran })
}

/** An empty list of values has a name, too. */
const isSendable = (name: string, value: unknown): boolean =>
  ['', value].flat().every((each) => isSendableHeader(name, String(each)))

/**
 * Removes headers that Node refuses to send, such as values with a line break. They would prevent the error response
 * as well.
 */
function dropUnsendable(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (!isSendable(name, value)) reply.removeHeader(name)
  }
}

function fail(error: unknown, { route, request, reply, exchange }: RequestWork, context: RouteContext): void {
  if (!reply.sent) {
    dropUnsendable(reply)
    sendError(request, reply, { error, exchange, encode: route.errors ?? flatErrors }, context)
    return
  }
  // Part of the response is sent already, so only the connection can be closed.
  exchange.error = toAnswerable(error, context.observe)
  reply.raw.destroy()
}

/** Creates the Fastify handler of a route. */
export const routeHandler =
  (route: Route, context: RouteContext) =>
  (request: RouteRequest, reply: FastifyReply): void => {
    const logged = context.observe.isEnabled('http-log', 'info')
    const { unlogged = false } = route
    const exchange: Exchange = { session: null, error: null, bodyRead: logged ? performance.now() : 0, unlogged }
    request.exchange = exchange
    const work: RequestWork = { route, request, reply, exchange }
    const around = context.hooks.request
    if (around) void serveWithin(around, work, context)
    else void serve(work, context)
  }
