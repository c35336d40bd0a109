// Calls of actions as webhooks get them, and what their answers mean.

import { internalError, messageOf, TrellisError, Type } from '../../sdk/index.ts'
import { type ConfiguredHeader, decode } from '../../sdk/metadata.ts'
import {
  configuredHeaders,
  type Environment,
  isDeeper,
  isSecretHeader,
  loggableTemplate,
  maxLevels,
  type Observer,
  type Outgoing,
  OutgoingError,
  type OutgoingHeaders,
  type OutgoingResponse,
  parseJson,
} from '../../sdk/services.ts'
import type { HandlerAnswer, HandlerCall } from './call.ts'
import { coerceOutput, type OutputRules } from './output.ts'

/** What calling webhooks takes. */
export interface WebhookContext {
  readonly outgoing: Outgoing
  readonly observe: Observer
  readonly environment: Environment
  readonly rules: OutputRules
  /** Whether headers of the action win over the client's of the same name. */
  readonly configuredHeadersWin: boolean
}

/** Bytes that an answer may have. */
const maxResponseSize = 16 * 2 ** 20

/** The answer of an action's webhook; throws the error that the interface has for any other. */
export async function callWebhook(call: HandlerCall, context: WebhookContext): Promise<HandlerAnswer> {
  const { action, signal } = call
  const { url, timeout } = action
  const body = requestBody(call)
  const text = JSON.stringify(body)
  const described = { url: loggableTemplate(action.handler), body, headers: describedHeaders(call) }
  const headers = requestHeaders(call, context)
  const request = { method: 'POST', url, headers, body: text, timeout, maxResponseSize } as const
  let response: OutgoingResponse
  try {
    response = await context.outgoing.send({ ...request, ...(signal && { signal }) })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const details = { error: { type: 'http_exception', message: error.message }, request: described, response: null }
    throw internalError('http exception when calling webhook', { internal: details })
  }
  log(context.observe, text, response)
  const exchange: Exchange = { request: described, response }
  const answered = answeredValue(exchange)
  let value: unknown
  try {
    value = coerceOutput(answered, action.output, context.rules)
  } catch (error) {
    throw error instanceof TrellisError ? error.with({ internal: internalOf('unexpected response', exchange) }) : error
  }
  return { value, cookies: [response.headers['set-cookie'] ?? []].flat() }
}

function requestBody({ action, input, session, requestQuery }: HandlerCall) {
  const body = { action: { name: action.name }, input, session_variables: session.variables }
  return requestQuery === null ? body : { ...body, request_query: requestQuery }
}

function requestHeaders(
  { action, clientHeaders, id }: HandlerCall,
  { environment, configuredHeadersWin }: WebhookContext,
): OutgoingHeaders {
  const own = configuredHeaders(action.headers, environment)
  const merged = configuredHeadersWin ? { ...clientHeaders, ...own } : { ...own, ...clientHeaders }
  // The same whenever a call is tried again, so that a webhook can tell that it had it.
  return id === null ? merged : { ...merged, 'x-request-id': id }
}

const shownValue = (name: string, value: string): string => (isSecretHeader(name) ? '<redacted>' : value)

/** Headers as administrators may see them: variables by their names, secrets not at all. */
const describedHeaders = ({ action, clientHeaders }: HandlerCall): ConfiguredHeader[] => [
  ...action.headers.map((header) =>
    'value' in header ? { ...header, value: shownValue(header.name, header.value) } : header,
  ),
  ...Object.entries(clientHeaders).map(([name, value]) => ({ name, value: shownValue(name, value) })),
]

/** A request, and what came back. */
interface Exchange {
  readonly request: unknown
  readonly response: OutgoingResponse
}

function log(observe: Observer, text: string, { body }: OutgoingResponse): void {
  if (!observe.isEnabled('action-handler-log', 'info')) return
  const detail = { request_size: Buffer.byteLength(text), response_size: body.length }
  observe.log({ type: 'action-handler-log', level: 'info', detail })
}

/** The JSON of a success; throws what the webhook says is wrong, or what is wrong with it. */
function answeredValue(exchange: Exchange): unknown {
  const { status } = exchange.response
  const isSuccess = status >= 200 && status < 300
  const isRefusal = status >= 400 && status < 500
  if (!isSuccess && !isRefusal) {
    const error = `expecting 2xx or 4xx status code, but found ${status}`
    throw internalError('internal error', { internal: internalOf(error, exchange) })
  }
  const value = parsedBody(exchange)
  if (isRefusal) throw refusalOf(value, exchange)
  return value
}

function parsedBody(exchange: Exchange): unknown {
  try {
    return parseJson(exchange.response.body.toString('utf8'), 'lossless')
  } catch (error) {
    const internal = internalOf(`invalid json: ${messageOf(error)}`, exchange)
    throw internalError('not a valid json response from webhook', { internal })
  }
}

const Refusal = Type.Object({
  message: Type.String(),
  code: Type.Optional(Type.String()),
  extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** The error of a webhook that refuses a call. */
function refusalOf(value: unknown, exchange: Exchange): TrellisError {
  try {
    const { message, code = 'unexpected', extensions } = decode(Refusal, value)
    // What cannot be printed again is left out.
    const details = extensions && !isDeeper(extensions, maxLevels) ? { extensions } : {}
    return new TrellisError(exchange.response.status, code, message, details)
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    return error.with({ internal: internalOf('unexpected response', exchange) })
  }
}

/** Bytes of a body that are shown. */
const shownBytes = 16_384

/** What administrators are told of a call that went wrong. */
function internalOf(error: string, { request, response: { status, headers, body } }: Exchange): unknown {
  const shown = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value: shownValue(name, value) })),
  )
  return { error, request, response: { status, body: shownBody(body), headers: shown } }
}

function shownBody(body: Buffer): unknown {
  const text = body.subarray(0, shownBytes).toString('utf8')
  if (body.length > shownBytes) return `${text}…`
  try {
    const value = parseJson(text, 'lossless')
    // What is nested deeper than can be printed is shown as it came.
    JSON.stringify(value)
    return value
  } catch {
    return text
  }
}
