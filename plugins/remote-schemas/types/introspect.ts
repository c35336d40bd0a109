// Asking a remote server for its schema: the source that remote schemas are resolved from.

import { getIntrospectionQuery } from 'graphql'
import { badRequest, type Engine, messageOf, type TrellisError } from '../../../sdk/index.ts'
import { own, type Source, type SourceContext, type WireObject } from '../../../sdk/metadata.ts'
import {
  configuredHeaders,
  isJsonObject,
  jsonType,
  OutgoingError,
  type OutgoingResponse,
  parseJson,
} from '../../../sdk/services.ts'
import { remoteUrl, shownUrl } from '../address.ts'
import type { RemoteSchemaDefinition, RemoteSchemaEntry } from '../schema.ts'
import { introspectedSchema } from './introspected-schema.ts'
import { quotedErrors } from './quoted.ts'

/** What of a definition decides what its server is asked. */
export type IntrospectionRequest = Pick<RemoteSchemaDefinition, 'url' | 'url_from_env' | 'headers' | 'timeout_seconds'>

export const sourceKey = 'remote_schemas'

/** Seconds that a remote server may take, unless the definition says otherwise. */
export const defaultTimeout = 60

/** Milliseconds after which asking for a schema is given up whatever the definition says. */
const longestTimeout = 600_000

export function introspectionRequest({ definition }: Pick<RemoteSchemaEntry, 'definition'>): IntrospectionRequest {
  const { url, url_from_env, headers, timeout_seconds } = definition
  return {
    ...(url !== undefined && { url }),
    ...(url_from_env !== undefined && { url_from_env }),
    ...(headers && { headers }),
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  }
}

/** The schemas of remote servers; what one holds is the answer to its introspection, as it was received. */
export const remoteSchemaSource = ({ outgoing }: Pick<Engine, 'outgoing'>): Source<IntrospectionRequest> => ({
  key: sourceKey,
  wanted: ({ remote_schemas: entries }) =>
    entries.map((entry) => ({ id: entry.name, definition: introspectionRequest(entry) })),
  timeout: longestTimeout,
  reloadedBy: 'reload_remote_schemas',
  fetch: (definition, signal, context) => fetchSchema({ definition, signal, context, outgoing }),
})

interface Fetching extends Pick<Engine, 'outgoing'> {
  readonly definition: IntrospectionRequest
  readonly signal: AbortSignal
  readonly context: SourceContext
}

/** What is asked for, all that GraphQL can tell first: older servers do not know what some of it is. */
const bodies = [
  { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true },
  { inputValueDeprecation: true, specifiedByUrl: true },
  { inputValueDeprecation: true },
  {},
].map((options) => JSON.stringify({ query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' }))

async function fetchSchema({ definition, signal, context, outgoing }: Fetching): Promise<unknown> {
  const environment = (name: string) => context.environment(name)
  const [url, shown] = [remoteUrl(definition, environment), shownUrl(definition)]
  const headers = { accept: 'application/json', ...configuredHeaders(definition.headers ?? [], environment) }
  const timeout = (definition.timeout_seconds ?? defaultTimeout) * 1000
  const ask = (body: string) =>
    outgoing.send({ method: 'POST', url, headers, body, timeout, signal }).catch((error: unknown) => {
      throw unreachable(shown, error)
    })
  const [all, ...older] = bodies
  let response = await ask(all!)
  for (const body of older) if (isMisunderstood(response)) response = await ask(body)
  if (response.status !== 200) throw refused(shown, response)
  const answer = readAnswer(response)
  const quoted = own(answer, 'data') ? '' : quotedErrors(answer)
  if (quoted !== '') throw refusal(`introspection query to ${shown} has responded with an error${quoted}`, response)
  introspectedSchema(answer)
  return answer
}

/** Whether a server that answers GraphQL found the question wrong. */
function isMisunderstood({ body }: OutgoingResponse): boolean {
  if (body.length > excerptLength) return false
  try {
    const answer: unknown = JSON.parse(String(body))
    if (!isJsonObject(answer)) return false
    const [data, errors] = ['data', 'errors'].map((key) => own(answer, key))
    return jsonType(data) === 'Null' && Array.isArray(errors) && errors.length > 0
  } catch {
    return false
  }
}

/** The error about a server that does not answer; its `internal` is for administrators. */
function unreachable(shown: string, error: unknown): TrellisError {
  const cause = error instanceof OutgoingError ? { reason: error.reason, message: error.message } : String(error)
  const internal = { type: 'http_exception', request: { method: 'POST', url: shown }, cause }
  const message = `HTTP exception occurred while sending the request to ${shown}`
  return badRequest('remote-schema-error', message, { internal })
}

const excerptLength = 10_000

function refused(shown: string, response: OutgoingResponse): TrellisError {
  const quoted = quotedErrors(parsedExcerpt(response))
  return refusal(`introspection query to ${shown} has responded with ${response.status} status code${quoted}`, response)
}

/** The error of a server that says something else than its schema; `internal` has the answer. */
function refusal(message: string, { body }: OutgoingResponse): TrellisError {
  return badRequest('remote-schema-error', message, { internal: shownBody(excerptOf(body)) })
}

const excerptOf = (body: Buffer): string => String(body.subarray(0, excerptLength))

function parsedExcerpt({ body }: OutgoingResponse): unknown {
  try {
    return JSON.parse(excerptOf(body))
  } catch {
    return null
  }
}

function shownBody(text: string): object {
  try {
    return { response: parseJson(text, 'precise') }
  } catch {
    return { raw_body: text }
  }
}

function readAnswer({ body: bytes }: OutgoingResponse): WireObject {
  const text = String(bytes)
  let answer: unknown
  try {
    answer = parseJson(text, 'precise')
  } catch (error) {
    throw notIntrospection('', messageOf(error), text)
  }
  if (isJsonObject(answer)) return answer
  throw notIntrospection('', `parsing Object failed, expected Object, but encountered ${jsonType(answer)}`, text)
}

function notIntrospection(at: string, reason: string, text: string): TrellisError {
  const internal = { raw_body: text.slice(0, excerptLength) }
  return badRequest('remote-schema-error', `Error in $${at}: ${reason}`, { internal })
}
