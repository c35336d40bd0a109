// Calls of action webhooks, and the interpretation of their answers.

import { parseJsonInTurns, readJsonInTurns } from '../../../sdk/http.ts'
import { internalError, messageOf, TrellisError, Type } from '../../../sdk/index.ts'
import { type ConfiguredHeader, decode } from '../../../sdk/metadata.ts'
import {
  configuredHeaders,
  type Environment,
  inTurns,
  isDeeper,
  isSecretHeader,
  loggableTemplate,
  loggableUrl,
  maxLevels,
  type Observer,
  type Outgoing,
  OutgoingError,
  type OutgoingHeaders,
  type OutgoingResponse,
  parseJson,
} from '../../../sdk/services.ts'
import {
  type RequestContext,
  type ResponseTransform,
  TransformError,
  type TransformedRequest,
  transformRequest,
  transformResponse,
} from '../../transforms/index.ts'
import { maxResponseBytes, shownBytes } from '../tuning.ts'
import type { HandlerAnswer, HandlerCall } from './call.ts'
import { coerceOutput, type OutputRules } from './output.ts'

/** The services that webhook calls need. */
export interface WebhookContext {
  readonly outgoing: Outgoing
  readonly observe: Observer
  readonly environment: Environment
  readonly rules: OutputRules
  /** Whether headers of the action override the client's headers with the same name. */
  readonly configuredHeadersWin: boolean
  /** Whether errors also tell that a request was not transformed. */
  readonly showsTransformed: boolean
}

/** Calls the webhook of an action; throws the error of the interface for a bad answer. */
export async function callWebhook(call: HandlerCall, context: WebhookContext): Promise<HandlerAnswer> {
  const { action, signal } = call
  const { timeout } = action
  const body = requestBody(call)
  const described = { url: loggableTemplate(action.handler), body, headers: describedHeaders(call) }
  const asked = { url: action.url, body, sessionVariables: call.session.variables }
  const request = requestOf(call, asked, described, context)
  const limits = { timeout, maxResponseSize: maxResponseBytes, ...(signal && { signal }) }
  const isTransformed = action.transforms.request_transform !== undefined
  const shown =
    isTransformed || context.showsTransformed
      ? { ...described, transformed_request: isTransformed ? shownRequest(request) : null }
      : described
  let response: OutgoingResponse
  try {
    const { body: text, ...rest } = request
    response = await context.outgoing.send({ ...rest, ...(text !== null && { body: text }), ...limits })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const details = { error: { type: 'http_exception', message: error.message }, request: shown, response: null }
    throw internalError('http exception when calling webhook', { internal: details })
  }
  log(context.observe, request.body ?? '', response)
  const exchange: Exchange = { request: shown, response, rules: context.rules }
  const answered = await answeredValue(exchange, asked, action.transforms.response_transform)
  let value: unknown
  try {
    value = await inTurns(coerceOutput(answered, action.output, context.rules))
  } catch (error) {
    throw error instanceof TrellisError ? error.with({ internal: internalOf('unexpected response', exchange) }) : error
  }
  return { value, cookies: [response.headers['set-cookie'] ?? []].flat() }
}

/** The request to send; throws if its templates have no value. */
function requestOf(
  call: HandlerCall,
  asked: RequestContext,
  described: unknown,
  context: WebhookContext,
): WebhookRequest {
  const headers = requestHeaders(call, context)
  const { request_transform: transform } = call.action.transforms
  if (!transform) return { method: 'POST', url: asked.url, headers, body: JSON.stringify(asked.body) }
  try {
    return transformRequest(transform, asked, { method: 'POST', headers })
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    const internal = { error: { type: 'transform', errors: error.errors }, request: described, response: null }
    throw internalError('the request transform failed', { internal })
  }
}

type WebhookRequest = Omit<TransformedRequest, 'contentType'> & Partial<Pick<TransformedRequest, 'contentType'>>

/** A transformed request for administrators, with secrets masked. */
const shownRequest = ({ method, url, headers, body }: WebhookRequest) => ({
  method,
  url: loggableUrl(url),
  headers: Object.entries(headers).map(([name, value]) => ({ name, value: shownValue(name, value) })),
  body: body === null ? null : shownBody(Buffer.from(body)),
})

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
  // The id is the same for each attempt, so a webhook can recognize a repeated call.
  return id === null ? merged : { ...merged, 'x-request-id': id }
}

const shownValue = (name: string, value: string): string => (isSecretHeader(name) ? '<redacted>' : value)

/** Headers for administrators: variables by name, secrets masked. */
const describedHeaders = ({ action, clientHeaders }: HandlerCall): ConfiguredHeader[] => [
  ...action.headers.map((header) =>
    'value' in header ? { ...header, value: shownValue(header.name, header.value) } : header,
  ),
  ...Object.entries(clientHeaders).map(([name, value]) => ({ name, value: shownValue(name, value) })),
]

/** A request with its response. */
interface Exchange {
  readonly request: unknown
  readonly response: OutgoingResponse
  readonly rules: OutputRules
}

function log(observe: Observer, text: string, { body }: OutgoingResponse): void {
  if (!observe.isEnabled('action-handler-log', 'info')) return
  const detail = { request_size: Buffer.byteLength(text), response_size: body.length }
  observe.log({ type: 'action-handler-log', level: 'info', detail })
}

/** The JSON of a success; throws the webhook's refusal, or an error for an invalid answer. */
async function answeredValue(
  exchange: Exchange,
  asked: RequestContext,
  transform: ResponseTransform | undefined,
): Promise<unknown> {
  const { status } = exchange.response
  const isSuccess = status >= 200 && status < 300
  const isRefusal = status >= 400 && status < 500
  if (!isSuccess && !isRefusal) {
    const error = `expecting 2xx or 4xx status code, but found ${status}`
    throw internalError('internal error', { internal: internalOf(error, exchange) })
  }
  const value = transform
    ? await transformed({ exchange, asked, transform })
    : await parsedBody(exchange, parseJsonInTurns)
  if (isRefusal) throw refusalOf(value, exchange)
  return value
}

interface Transforming {
  readonly exchange: Exchange
  readonly asked: RequestContext
  readonly transform: ResponseTransform
}

async function transformed({ exchange, asked, transform }: Transforming): Promise<unknown> {
  const body = await parsedBody(exchange, readJsonInTurns)
  try {
    return transformResponse(transform, { status: exchange.response.status, body }, asked)
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    const internal = internalOf({ type: 'transform', errors: error.errors }, exchange)
    throw internalError('the response transform failed', { internal })
  }
}

async function parsedBody(exchange: Exchange, parse: typeof readJsonInTurns): Promise<unknown> {
  try {
    return await parse(exchange.response.body, 'lossless')
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
    // Extensions that cannot be encoded again are left out.
    const { isVersion2: hasOwnExtensions } = exchange.rules
    const details = extensions && !isDeeper(extensions, maxLevels) ? { extensions, hasOwnExtensions } : {}
    return new TrellisError(exchange.response.status, code, message, details)
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    return error.with({ internal: internalOf('unexpected response', exchange) })
  }
}

/** The internals of a failed call, for administrators. */
function internalOf(error: unknown, { request, response: { status, headers, body } }: Exchange): unknown {
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
    // JSON that is nested too deep to be encoded again is shown as text.
    JSON.stringify(value)
    return value
  } catch {
    return text
  }
}
