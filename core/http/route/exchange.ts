// Keeps the data of a request that its log line needs, and writes the line.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Around } from '../../around/around.ts'
import type { AdmissionHooks } from '../../auth/admission.ts'
import { flatError, type TrellisError } from '../../errors/errors.ts'
import type { HttpLog, LogLevel, Observer } from '../../log/observe.ts'
import type { Session } from '../../session/session.ts'
import { readJson } from '../body/body.ts'
import { longestLoggedBody, longestLoggedList, longestLoggedText } from '../tuning.ts'
import type { Route, RouteRequest } from './declared-route.ts'

/** One request in flight. Members are set as they become known. */
export interface Exchange {
  session: Session | null
  /** The error that the whole request was answered with; null if there is no error. */
  error: TrellisError | null
  /** When the body was read, by `performance.now()`; 0 if requests are not logged. */
  readonly bodyRead: number
  /** Whether to write no log line. */
  readonly unlogged: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request has reached a plugin's route. */
    exchange: Exchange | null
  }
}

/** The path of a request's target. Proxy requests have the scheme and host before it. */
const pathOf = (target: string): string => {
  const url = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/'
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function clientAddress({ headers, socket }: FastifyRequest): string {
  const forwarded = headers['x-real-ip'] ?? headers['x-forwarded-for']
  return forwarded === undefined ? plainAddress(socket.remoteAddress ?? '') : String(forwarded)
}

/** A dual-stack listener sees IPv4 clients as `::ffff:1.2.3.4`. The log shows the IPv4 address. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '')

function httpInfo(request: FastifyRequest, reply: FastifyReply): HttpLog['http_info'] {
  const encoding = reply.getHeader('content-encoding')
  return {
    status: reply.statusCode,
    method: request.method,
    ip: clientAddress(request),
    url: pathOf(request.url),
    http_version: `HTTP/${request.raw.httpVersion}`,
    content_encoding: encoding === undefined ? null : String(encoding),
  }
}

/** Converts milliseconds to seconds, rounded to the microsecond. */
const seconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1e6

/** Logs a successful request. */
export function logSuccess(
  observe: Observer,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly exchange: Exchange; readonly size: number; readonly ran: number },
): void {
  const { session, bodyRead, unlogged } = answer.exchange
  if (unlogged) return
  const operation = {
    request_id: request.id,
    ...(session && { user_vars: session.variables }),
    response_size: answer.size,
    request_read_time: seconds(bodyRead - (request.raw.arrivedAt ?? bodyRead)),
    query_execution_time: seconds(answer.ran),
  }
  observe.log({ type: 'http-log', level: 'info', detail: { http_info: httpInfo(request, reply), operation } })
}

/** The body of a failed request for the log: parsed, or as text if it is not JSON, or cut if it is long. */
function bodyDetail(body: unknown): Pick<HttpLog['operation'], 'query' | 'raw_query'> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  if (body.length > longestLoggedBody) return { raw_query: `${body.toString('utf8', 0, longestLoggedBody)}…` }
  try {
    return { query: readJson(body) }
  } catch {
    return { raw_query: body.toString('utf8') }
  }
}

/** A value with its long texts and lists cut: a refused document may list a fault for each of many entries. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > longestLoggedText
      ? `${value.slice(0, longestLoggedText).toWellFormed()}… (${value.length} characters)`
      : value
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, longestLoggedList).map(cut)
    return value.length > longestLoggedList ? [...items, `… (${value.length} items)`] : items
  }
  // Objects with a prototype of their own define their JSON themselves.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member)]))
}

/** The error of a request for its log line. */
const loggedError = (error: TrellisError) => cut(flatError(error, true)) as ReturnType<typeof flatError>

/** Logs a refused or failed request; `exchange` is null if no route was reached. */
export function logFailure(
  observe: Observer,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: {
    readonly exchange: Exchange | null
    readonly size: number
    readonly error: TrellisError
    readonly level: LogLevel
  },
): void {
  const { exchange, size, error, level } = failure
  if (exchange?.unlogged) return
  const operation = {
    request_id: request.id,
    ...(exchange?.session && { user_vars: exchange.session.variables }),
    response_size: size,
    // Bodies of unauthenticated requests are not logged.
    ...(exchange?.session && bodyDetail(request.body)),
    error: loggedError(error),
  }
  observe.log({ type: 'http-log', level, detail: { http_info: httpInfo(request, reply), operation } })
}

/** A request at its route, after its body was read and until its response was passed to Node. `run` never rejects. */
export interface RequestWork {
  readonly route: Route
  readonly request: RouteRequest
  readonly reply: FastifyReply
  /** Holds the session and the error as soon as they are known. */
  readonly exchange: Exchange
}

/** Hooks around HTTP requests and around their admission; null if no plugin has one. */
export interface RequestHooks extends Pick<AdmissionHooks, 'admission'> {
  readonly request: Around<RequestWork> | null
}
