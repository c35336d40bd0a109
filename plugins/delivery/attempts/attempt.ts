// One call of a webhook, and the record of it.

import { randomUUID } from 'node:crypto'
import { readJsonInTurns } from '../../../sdk/http.ts'
import { type Dialect, messageOf, TrellisError } from '../../../sdk/index.ts'
import {
  longestTimer,
  type Outgoing,
  OutgoingError,
  type OutgoingHeaders,
  type OutgoingResponse,
  retryAfterOf,
  signatureHeaders,
} from '../../../sdk/services.ts'
import {
  type RequestContext,
  type RequestTransform,
  type ResponseTransform,
  TransformError,
  type TransformedRequest,
  type Transforms,
  transformRequest,
  transformResponse,
} from '../../transforms/index.ts'
import { keptRequestCharacters, keptResponseBytes } from '../tuning.ts'
import { loggedRequestHeaders, loggedResponseHeaders, type ResolvedHeaders, transformedHeaders } from './headers.ts'

/** Where a call goes. */
export interface WebhookTarget {
  readonly url: string
  readonly headers: ResolvedHeaders
}

/** A call to make. */
export interface WebhookCall {
  /** The id of the delivered item; the same at each attempt. */
  readonly id: string
  /** JSON text. */
  readonly body: string
  /** The limit for the whole answer. */
  readonly timeoutSeconds: number
  /** The trace context as triggers store it; null: no trace. */
  readonly trace: string | null
  /** Aborts the call. */
  readonly signal: AbortSignal
  /** The webhook's transforms; absent: none. */
  readonly transforms?: Transforms
  /** The session variables that templates read from the body; absent: none. */
  sessionOf?(body: unknown): Readonly<Record<string, unknown>> | null
}

/** A call as it is sent. */
interface SentCall extends WebhookTarget, Partial<Pick<TransformedRequest, 'method' | 'contentType'>> {
  /** Null: none. */
  readonly body: string | null
  /** The values that the templates of the request could read; absent: it is not transformed. */
  readonly asked?: RequestContext
}

/** The result of a call, for the ledger and the log. */
export interface Attempt {
  /** The id in the invocation log. It makes a repeated record of the same attempt harmless. */
  readonly id: string
  readonly succeeded: boolean
  /** The HTTP status, or one of {@link failureStatus}. */
  readonly status: number
  /** Seconds until the next call that the webhook asked for; null: it did not. */
  readonly retryAfter: number | null
  /** JSON texts for the invocation log. */
  readonly request: string
  readonly response: string
  /** For the server log. */
  readonly size: number
  readonly logged: LoggedResponse
}

export type LoggedResponse =
  | {
      readonly status: number
      readonly headers: readonly unknown[]
      readonly body: LoggedBody
      readonly size: number
    }
  | { readonly type: 'client' | 'status'; readonly detail: unknown }

/** A text; bytes that are not UTF-8 as Base64. */
export type LoggedBody = string | readonly ['Base64', string]

/**
 * Status of a call without an answer. `client`: no connection or a timeout; `other`: a URL or body that cannot be sent, or a
 * function that threw.
 */
export const failureStatus = { client: 1000, other: 500 } as const

/** An id that grows with time, so that new rows are close together in the indexes. */
function attemptId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export interface CallerOptions {
  readonly outgoing: Outgoing
  readonly dialect: Dialect
  /** Whether logs show the values of environment variables. */
  readonly showsEnvironment: boolean
  /** The version of the log format. */
  readonly version: '1' | '2'
  /** Each call is signed with every key. */
  readonly keys: readonly Buffer[]
}

/** Calls webhooks. A failed attempt is a result as well, so a call rejects only when the signal aborts. */
export class WebhookCaller {
  readonly #options: CallerOptions
  /** The logged form of a webhook's headers as JSON: the same at each call. */
  readonly #shown = new WeakMap<ResolvedHeaders, string>()

  constructor(options: CallerOptions) {
    this.#options = options
  }

  call(target: WebhookTarget, call: WebhookCall): Promise<Attempt> {
    const { url, headers } = target
    const transform = call.transforms?.request_transform
    if (transform) return this.#transformed(target, call, transform)
    return this.#send({ url, headers, body: call.body }, target, call)
  }

  async #transformed(target: WebhookTarget, call: WebhookCall, transform: RequestTransform): Promise<Attempt> {
    try {
      return await this.#send(await transformed(target, call, transform), target, call)
    } catch (error) {
      call.signal.throwIfAborted()
      if (!isRefusal(error)) throw error
      const sent = { headers: target.headers, body: call.body }
      return this.failed(sent, `the request transform failed: ${error.message}`, failureStatus.other)
    }
  }

  async #send(sent: SentCall, target: WebhookTarget, call: WebhookCall): Promise<Attempt> {
    const { url, body, method = 'POST', contentType } = sent
    const { id, timeoutSeconds, trace, signal, transforms } = call
    const timeout = Math.min(longestTimer, Math.max(1, Math.round(timeoutSeconds * 1000)))
    try {
      const response = await this.#options.outgoing.send({
        ...{ method, url, timeout, signal },
        ...(body !== null && { body }),
        ...(contentType !== undefined && { contentType }),
        headers: this.#signed(id, sent),
        maxResponseSize: keptResponseBytes,
        cutsResponse: true,
        isRepeatable: true,
        ...(trace !== null && { trace }),
      })
      const text = bodyText(response.body, response.isCut)
      const transform = transforms?.response_transform
      if (!transform || typeof text !== 'string') return this.#answered(sent, response, text)
      const read = () => sent.asked ?? askedOf(target, call)
      return this.#answered(sent, response, await answeredText(transform, response, text, read))
    } catch (error) {
      signal.throwIfAborted()
      const isResent = error instanceof OutgoingError && error.isResent
      return this.failed(sent, messageOf(error), failureStatus.client, isResent)
    }
  }

  #signed(id: string, { headers, body }: SentCall): OutgoingHeaders {
    const { keys } = this.#options
    if (keys.length === 0) return headers.sent
    return { ...headers.sent, ...signatureHeaders({ id, at: new Date(), body: body ?? '' }, keys) }
  }

  /** An attempt without an answer; `isResent`: its request was sent twice. */
  failed(sent: Pick<SentCall, 'headers' | 'body'>, message: string, status: number, isResent = false): Attempt {
    const { version } = this.#options
    return {
      ...{ id: attemptId(), succeeded: false, status, retryAfter: null },
      ...this.#request(sent, isResent),
      response: JSON.stringify({ type: 'client_error', data: { message }, version }),
      logged: { type: 'client', detail: message },
    }
  }

  #answered(sent: SentCall, { status, headers, body, isResent }: OutgoingResponse, text: LoggedBody): Attempt {
    const { version } = this.#options
    const succeeded = status >= 200 && status <= 299
    const data = { body: text, headers: loggedResponseHeaders(headers), status }
    const logged = { status, headers: data.headers, body: text, size: body.length }
    return {
      ...{ id: attemptId(), succeeded, status, retryAfter: succeeded ? null : retryAfterOf(headers, Date.now()) },
      ...this.#request(sent, isResent),
      response: JSON.stringify({ type: 'webhook_response', data, version }),
      logged: succeeded ? logged : { type: 'status', detail: logged },
    }
  }

  /** The attempt of a function instead of a webhook; `failure` is null if it returned. */
  ofFunction(
    name: string,
    body: string,
    failure: { readonly message: string; readonly status: number } | null,
  ): Attempt {
    const { version } = this.#options
    const request = `{"payload":${keptBody(body)},"handler":${JSON.stringify(name)},"version":"${version}"}`
    const status = failure?.status ?? 200
    const given = {
      id: attemptId(),
      succeeded: !failure,
      status,
      retryAfter: null,
      request,
      size: Buffer.byteLength(body),
    }
    if (!failure) {
      const response = JSON.stringify({ type: 'handler_response', data: { status }, version })
      return { ...given, response, logged: { status, headers: [], body: '', size: 0 } }
    }
    const { message } = failure
    const response = JSON.stringify({ type: 'handler_error', data: { message }, version })
    return { ...given, response, logged: { type: 'client', detail: message } }
  }

  /** The log entry of a request. The body keeps every digit; a long one is cut. */
  #request({ body, headers }: Pick<SentCall, 'headers' | 'body'>, isResent = false): Pick<Attempt, 'request' | 'size'> {
    const payload = body === null ? 'null' : loggedPayload(body, headers)
    const resent = isResent ? ',"resent":true' : ''
    const request = `{"payload":${payload},"headers":${this.#shownOf(headers)},"version":"${this.#options.version}"${resent}}`
    return { request, size: Buffer.byteLength(body ?? '') }
  }

  #shownOf(headers: ResolvedHeaders): string {
    const known = this.#shown.get(headers)
    if (known !== undefined) return known
    const shown = JSON.stringify(loggedRequestHeaders(headers, this.#options))
    this.#shown.set(headers, shown)
    return shown
  }
}

function loggedPayload(body: string, { contentType }: ResolvedHeaders): string {
  const kept = keptBody(body)
  return contentType === undefined || kept !== body ? kept : JSON.stringify(body)
}

/** A JSON body for the log; a long one is cut, and a text then. */
function keptBody(body: string): string {
  if (body.length <= keptRequestCharacters) return body
  // The cut may split a surrogate pair, and PostgreSQL's JSON operators refuse half of one.
  return JSON.stringify(`${body.slice(0, keptRequestCharacters).toWellFormed()}…`)
}

/** Whether a transform has no value, or its input is larger than bodies may be. */
const isRefusal = (error: unknown): error is Error => error instanceof TransformError || error instanceof TrellisError

/** The values that templates read of a call. */
async function askedOf({ url }: WebhookTarget, { body: text, sessionOf }: WebhookCall): Promise<RequestContext> {
  const body = await readJsonInTurns(Buffer.from(text), 'lossless')
  return { url, body, sessionVariables: sessionOf?.(body) ?? null }
}

/** The request that a transform makes of a call. */
async function transformed(target: WebhookTarget, call: WebhookCall, transform: RequestTransform): Promise<SentCall> {
  const { headers } = target
  const asked = await askedOf(target, call)
  const request = transformRequest(transform, asked, { method: 'POST', headers: headers.sent })
  return { ...request, asked, headers: transformedHeaders(headers, request) }
}

/** The text of a transformed answer for the log; one that the transform cannot read stays as it is. */
async function answeredText(
  transform: ResponseTransform,
  { status, body }: OutgoingResponse,
  text: string,
  asked: () => RequestContext | Promise<RequestContext>,
): Promise<string> {
  try {
    const answer = { status, body: await readJsonInTurns(body, 'lossless') }
    return JSON.stringify(transformResponse(transform, answer, await asked()))
  } catch (error) {
    if (isRefusal(error)) return text
    throw error
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const lenientUtf8 = new TextDecoder('utf-8')

function bodyText(body: Buffer, isCut: boolean): LoggedBody {
  // The cut may split a character.
  if (isCut) return `${lenientUtf8.decode(body)}…`
  try {
    return utf8.decode(body)
  } catch {
    return ['Base64', body.toString('base64')]
  }
}
