// Fetches the schema of a remote server: the source that remote schemas are resolved from.

import { getIntrospectionQuery } from 'graphql'
import { badRequest, messageOf, type TrellisError } from '../../../sdk/index.ts'
import { own, type Source, type WireObject } from '../../../sdk/metadata.ts'
import { isJsonObject, jsonType, OutgoingError, type OutgoingResponse, parseJson } from '../../../sdk/services.ts'
import type { RemoteSchemaDefinition } from '../schema.ts'
import type { ServerKinds } from '../servers/kinds.ts'
import { excerptLength, longestIntrospection, longestQuotedMessage, mostQuotedMessages } from '../tuning.ts'
import { introspectedSchema } from './introspected-schema.ts'

export const sourceKey = 'remote_schemas'

/** The source of servers' schemas; its values are the answers to introspection, as received. */
export const remoteSchemaSource = (kinds: ServerKinds): Source<RemoteSchemaDefinition> => ({
  key: sourceKey,
  wanted: ({ remote_schemas: entries }) =>
    entries.flatMap(({ name, definition }) => {
      const request = kinds.of(definition).request(definition)
      return request === null ? [] : [{ id: name, definition: request }]
    }),
  timeout: longestIntrospection,
  reloadedBy: 'reload_remote_schemas',
  fetch(request, signal, context) {
    const { fetch } = kinds.of(request)
    if (!fetch) throw new TypeError('a kind of servers that requests introspections does not fetch them')
    return fetch(request, signal, context)
  },
})

/** The introspection queries, the most detailed first: older servers do not know all of its fields. */
const bodies = [
  { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true },
  { inputValueDeprecation: true, specifiedByUrl: true },
  { inputValueDeprecation: true },
  {},
].map((options) => JSON.stringify({ query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' }))

/** Asks a server for its schema; `shown` names the server in errors. */
export async function fetchIntrospection(
  send: (body: string) => Promise<OutgoingResponse>,
  shown: string,
): Promise<object> {
  const ask = (body: string) =>
    send(body).catch((error: unknown) => {
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

/** Whether the server answered in GraphQL that it does not understand the query. */
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

/** The error for a server that does not answer; `internal` is shown to administrators only. */
function unreachable(shown: string, error: unknown): TrellisError {
  const cause = error instanceof OutgoingError ? { reason: error.reason, message: error.message } : String(error)
  const internal = { type: 'http_exception', request: { method: 'POST', url: shown }, cause }
  const message = `HTTP exception occurred while sending the request to ${shown}`
  return badRequest('remote-schema-error', message, { internal })
}

function refused(shown: string, response: OutgoingResponse): TrellisError {
  const quoted = quotedErrors(parsedExcerpt(response))
  return refusal(`introspection query to ${shown} has responded with ${response.status} status code${quoted}`, response)
}

/** The error for an answer without a schema; `internal` has an excerpt of the answer. */
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

/** The messages of the errors in an answer, for the end of a sentence; an empty text without errors. */
function quotedErrors(answer: unknown): string {
  if (!isJsonObject(answer)) return ''
  const errors = own(answer, 'errors')
  const found = Array.isArray(errors) ? errors : [own(answer, 'error'), answer]
  const messages = found.map(messageIn).filter((message) => message !== '')
  const distinct = [...new Set(messages)].slice(0, Array.isArray(errors) ? mostQuotedMessages : 1)
  return distinct.length === 0 ? '' : `: ${distinct.join('; ')}`
}

function messageIn(error: unknown): string {
  const text = isJsonObject(error) ? own(error, 'message') : error
  if (typeof text !== 'string') return ''
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestQuotedMessage ? `${line.slice(0, longestQuotedMessage).toWellFormed()}…` : line
}
