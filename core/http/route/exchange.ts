// What is kept of a request until it is logged, and the log line made from it.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TrellisError } from '../../errors/errors.ts'
import type { HttpLog, LogLevel, Observer } from '../../log/observe.ts'
import type { Session } from '../../session/session.ts'
import { readJson } from '../body/body.ts'
import { loggedError } from './logged-error.ts'

/** One request on its way; members are filled in as they become known. */
export interface Exchange {
  session: Session | null
  /** What it was answered with, when that is an error of the whole request. */
  error: TrellisError | null
  /** Milliseconds on the clock of `performance.now()`. */
  readonly bodyRead: number
  /** Whether it leaves no line in the log. */
  readonly unlogged: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request has reached a plugin's route. */
    exchange: Exchange | null
  }
}

/** The path of a request's target, which proxies are sent with the host before it. */
const pathOf = (target: string): string => {
  const url = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/'
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function clientAddress({ headers, socket }: FastifyRequest): string {
  const forwarded = headers['x-real-ip'] ?? headers['x-forwarded-for']
  return forwarded === undefined ? plainAddress(socket.remoteAddress ?? '') : String(forwarded)
}

/** A server that listens on IPv6 for both sees clients of IPv4 under addresses of IPv6, by which nobody would look for them. */
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

/** Milliseconds as seconds, to the microsecond. */
const seconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1e6

/** Logs an answered request. */
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

/** Of a body with more bytes only so many are logged: nobody reads more, and anybody can send it. */
const longestLogged = 65_536

/** The body of a failed request, whose sender is known: parsed, or as text when it is no JSON, or the beginning of its text when it is long. */
function bodyDetail(body: unknown): Pick<HttpLog['operation'], 'query' | 'raw_query'> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  if (body.length > longestLogged) return { raw_query: `${body.toString('utf8', 0, longestLogged)}…` }
  try {
    return { query: readJson(body) }
  } catch {
    return { raw_query: body.toString('utf8') }
  }
}

/** Logs a refused or failed request; `exchange` is null before its route was found. */
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
    // What nobody was let in with is nobody's to write here.
    ...(exchange?.session && bodyDetail(request.body)),
    error: loggedError(error),
  }
  observe.log({ type: 'http-log', level, detail: { http_info: httpInfo(request, reply), operation } })
}
