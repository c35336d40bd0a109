// Authenticates requests by webhook. Each request calls the webhook; nothing is cached.

import { type Authenticator, headerText, type RequestHeaders } from '../../sdk/http.ts'
import { type Dialect, internalError, messageOf, type Session } from '../../sdk/index.ts'
import {
  clientHeaders,
  type LogLevel,
  loggableUrl,
  type Observer,
  type Outgoing,
  OutgoingError,
  type OutgoingRequest,
  type OutgoingResponse,
} from '../../sdk/services.ts'
import { type Decision, decisionOf } from './answer.ts'
import { graphqlRequestIn } from './asked.ts'
import type { WebhookLog } from './log.ts'
import { maxAnswerSize } from './tuning.ts'

export interface WebhookOptions {
  readonly url: string
  /** GET sends the client's headers as headers, POST as JSON. */
  readonly method: 'GET' | 'POST'
  readonly outgoing: Outgoing
  readonly observe: Observer
  readonly dialect: Dialect
  /** Whether POST also sends the GraphQL request, as in version 2. */
  readonly sendsRequest?: boolean
  /** The timeout of the webhook in milliseconds; default: 30 seconds. */
  readonly timeout?: number
}

const defaultTimeout = 30_000

/** Authenticates by webhook. If the webhook fails, the request is refused. */
export function webhookAuthenticator(options: WebhookOptions): Authenticator {
  return {
    mode: 'webhook',
    authenticate: async (headers, rawHeaders, body) => {
      const { url, method, timeout = defaultTimeout, sendsRequest = false } = options
      const common = { url, method, timeout, maxResponseSize: maxAnswerSize }
      if (method === 'GET') return ask({ ...common, headers: clientHeaders(headers) }, options)
      const about = {
        headers: headersAsSent(headers, rawHeaders),
        ...(sendsRequest && { request: await graphqlRequestIn(body) }),
      }
      return ask({ ...common, body: JSON.stringify(about) }, options)
    },
  }
}

/** All headers, with the client's spelling of their names. */
function headersAsSent(headers: RequestHeaders, rawHeaders: readonly string[] = []): Record<string, string> {
  const spelled = new Map<string, string>()
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) spelled.set(rawHeaders[i]!.toLowerCase(), rawHeaders[i]!)
  const entries = Object.keys(headers).flatMap((name) => {
    const value = headerText(headers, name)
    return value === undefined ? [] : [[spelled.get(name) ?? name, value] as const]
  })
  return Object.fromEntries(entries)
}

async function ask(request: OutgoingRequest, options: WebhookOptions): Promise<Session> {
  const answer = await answerTo(request, options)
  const response = answer.body.toString('utf8')
  const decision = decide(answer, request, options)
  const message = decision.problems.length === 0 ? null : decision.problems.join('; ')
  const level = message === null ? 'info' : 'warn'
  log(level, request, { status_code: answer.status, response: message === null ? null : response, message }, options)
  return decision.session
}

async function answerTo(request: OutgoingRequest, options: WebhookOptions): Promise<OutgoingResponse> {
  try {
    return await options.outgoing.send({ ...request, isRepeatable: true })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const type = error.reason === 'invalid-url' ? 'invalid_url' : 'http_exception'
    log('error', request, { http_error: { type, message: error.message } }, options)
    throw internalError('webhook authentication request failed')
  }
}

function decide(answer: OutgoingResponse, request: OutgoingRequest, options: WebhookOptions): Decision {
  try {
    return decisionOf(answer, options.dialect)
  } catch (error) {
    const response = answer.body.toString('utf8')
    log('error', request, { status_code: answer.status, response, message: messageOf(error) }, options)
    throw error
  }
}

const nothing = { status_code: null, http_error: null, response: null, message: null }

function log(
  level: LogLevel,
  { url, method }: OutgoingRequest,
  detail: Partial<WebhookLog>,
  { observe }: WebhookOptions,
): void {
  if (!observe.isEnabled('webhook-log', level)) return
  observe.log({ type: 'webhook-log', level, detail: { ...nothing, url: loggableUrl(url), method, ...detail } })
}
