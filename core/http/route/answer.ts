// Sends responses: the only place for content types, compression and the form of errors.

import { Buffer } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { culpritOf } from '../../errors/blame.ts'
import { flatError, TrellisError, toTrellisError } from '../../errors/errors.ts'
import { stackOf } from '../../errors/thrown.ts'
import type { Observer } from '../../log/observe.ts'
import { dialects } from '../../names/dialect.ts'
import { isAdmin, type Session } from '../../session/session.ts'
import { bodyTooLarge } from '../body/body-reading.ts'
import type { ServerSettings } from '../options.ts'
import { retryAfter } from '../tuning.ts'
import { acceptsGzip, Gzipped, gzip } from './compression.ts'
import type { ErrorEncoder } from './declared-route.ts'
import { type Exchange, logFailure } from './exchange.ts'

export const jsonType = 'application/json; charset=utf-8'

/** The parts of the server that sending needs. */
export interface HttpContext {
  readonly settings: Pick<ServerSettings, 'devMode' | 'adminInternalErrors' | 'dialect' | 'graphqlInterface'>
  readonly observe: Observer
}

/** The bytes of a handler's result: a string or Buffer unchanged, other values as JSON. */
export function payloadOf(result: unknown): string | Buffer {
  if (Buffer.isBuffer(result) || typeof result === 'string') return result
  return result === undefined ? '' : JSON.stringify(result)
}

/** Sends a successful response, synchronously unless it has to be compressed. Returns the number of body bytes sent. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  result: unknown,
  { settings }: Pick<HttpContext, 'settings'>,
): number | Promise<number> {
  if (!reply.hasHeader('content-type')) reply.header('content-type', jsonType)
  reply.header('x-request-id', request.id)
  if (result instanceof Gzipped) return sendGzipped(request, reply, result)
  const payload = payloadOf(result)
  const isLarge = payload.length >= dialects[settings.dialect].leastCompressed
  if (isLarge && acceptsGzip(request.headers['accept-encoding'])) return sendCompressed(request, reply, payload)
  const size = sizeSent(request, payload)
  reply.send(payload)
  return size
}

async function sendCompressed(request: FastifyRequest, reply: FastifyReply, payload: string | Buffer): Promise<number> {
  const compressed = await gzip(payload)
  reply.header('content-encoding', 'gzip').send(compressed)
  return sizeSent(request, compressed)
}

async function sendGzipped(request: FastifyRequest, reply: FastifyReply, result: Gzipped): Promise<number> {
  const isTaken = acceptsGzip(request.headers['accept-encoding'])
  if (isTaken) reply.header('content-encoding', 'gzip')
  const body = isTaken ? result.bytes : await result.unpacked()
  reply.send(body)
  return sizeSent(request, body)
}

/**
 * Answers HEAD where GET sends a stream, whose length is not known before its end: Fastify would state the length 0.
 * Returns the number of body bytes sent.
 */
export function sendStreamHead(reply: FastifyReply, headers: Readonly<Record<string, string>>): 0 {
  reply.hijack()
  reply.raw.writeHead(200, headers).end()
  return 0
}

/** The number of body bytes that are sent; 0 for HEAD. */
function sizeSent({ method }: FastifyRequest, body: string | Buffer): number {
  if (method === 'HEAD') return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

/** Encodes the errors of an ordinary endpoint: flat, with the error's status. */
export const flatErrors: ErrorEncoder = (error, showInternal) => ({
  status: error.status,
  body: flatError(error, showInternal),
})

const mayShowInternal = ({ settings }: HttpContext, session: Session | null): boolean =>
  session !== null && (settings.devMode || (settings.adminInternalErrors && isAdmin(session)))

/** The error in the words of the server's interface, and without `help` if the dialect does not show it. */
export function inDialect(
  error: TrellisError,
  { dialect, graphqlInterface }: Pick<ServerSettings, 'dialect' | 'graphqlInterface'>,
): TrellisError {
  const shown = error.helpedIf(dialects[dialect].errorsHelp)
  return graphqlInterface === '2' ? shown.later : shown
}

/** An error of Fastify or its plugins. */
interface FailureWithStatus extends Error {
  readonly code?: string
  readonly statusCode: number
}

const hasStatus = (error: unknown): error is FailureWithStatus =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'

/**
 * Converts an error to the form that clients see. An unexpected error is logged in full and answered without details.
 */
export function toAnswerable(error: unknown, observe: Observer): TrellisError {
  const answerable = hasStatus(error) && error.statusCode < 500 ? ofStatus(error) : toTrellisError(error)
  if (answerable.status >= 500 && answerable.internal === undefined) logCause(answerable, observe)
  return answerable
}

function ofStatus({ code, statusCode, message }: FailureWithStatus): TrellisError {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  return new TrellisError(statusCode, 'bad-request', message)
}

function logCause(error: TrellisError, observe: Observer): void {
  const { cause } = error
  if (cause === undefined) return
  const whose = culpritOf(error)
  const detail = whose === null ? stackOf(cause) : `${whose}: ${stackOf(cause)}`
  observe.log({ type: 'unstructured', level: 'error', detail })
}

/** Answers with an error; `exchange` is null if no route was reached. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: { readonly error: unknown; readonly exchange: Exchange | null; readonly encode: ErrorEncoder },
  context: HttpContext,
): void {
  const { exchange, encode } = failure
  const error = inDialect(toAnswerable(failure.error, context.observe), context.settings)
  if (exchange) exchange.error = error
  const showInternal = mayShowInternal(context, exchange?.session ?? null)
  const { status, body, contentType = jsonType } = encode(error, showInternal, request.headers)
  const payload = JSON.stringify(body)
  // The rest of a refused body is not read.
  if (error.status === 413) reply.header('connection', 'close')
  if (status === 503) reply.header('retry-after', retryAfter)
  reply.code(status).header('content-type', contentType).header('x-request-id', request.id).send(payload)
  const level = error.status < 500 ? dialects[context.settings.dialect].refusedLevel : 'error'
  if (context.observe.isEnabled('http-log', level)) {
    logFailure(context.observe, request, reply, { exchange, size: sizeSent(request, payload), error, level })
  }
}
