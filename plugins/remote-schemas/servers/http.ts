// Requests to servers over HTTP, and the reasons why there is no answer.

import { type Dialect, type Engine, internalError, type Session } from '../../../sdk/index.ts'
import { configuredHeaders, forwardedHeaders, OutgoingError, type OutgoingResponse } from '../../../sdk/services.ts'
import { checkWhole, readAnswer } from '../ask/answer.ts'
import type { RemoteSubscriptions } from '../events/subscribe.ts'
import type { RemoteSchemaDefinition } from '../schema.ts'
import { defaultTimeout } from '../tuning.ts'
import { shownUrl } from './address.ts'
import type { RemoteCaller, RemoteEvent, RemoteReply, RemoteRequest, RemoteTransport } from './transport.ts'

/** The services that requests need. */
export interface HttpServices extends Pick<Engine, 'outgoing'> {
  readonly dialect: Dialect
  readonly subscriptions: RemoteSubscriptions
  environment(name: string): string | undefined
}

/** A server that is reached over HTTP. */
export interface HttpServer {
  /** The name of the remote schema. */
  readonly name: string
  readonly definition: RemoteSchemaDefinition
  readonly url: string
  /** The URL for subscriptions. */
  readonly subscriptionUrl: string
}

/** The transport to a server. Of headers with the same name, configured ones win over the session's, and these over the client's. */
export function httpTransport(server: HttpServer, services: HttpServices): RemoteTransport {
  const { definition, subscriptionUrl } = server
  const timeout = timeoutOf(definition)
  return {
    origin: JSON.stringify([subscriptionUrl, definition]),
    async send({ body, call }) {
      const headers = { accept: 'application/json', ...requestHeaders(definition, call, services) }
      const { signal } = call
      const request = { method: 'POST', url: server.url, headers, body, timeout, ...(signal && { signal }) } as const
      try {
        return replyOf(await services.outgoing.send(request))
      } catch (error) {
        throw unanswered(error, server)
      }
    },
    async begin({ body, call }: RemoteRequest) {
      const signal = call.signal ?? new AbortController().signal
      const headers = requestHeaders(definition, call, services)
      try {
        const request = { url: subscriptionUrl, headers, body, timeout, signal }
        return explained(await services.subscriptions.begin(server, request), server)
      } catch (error) {
        throw unanswered(error, server)
      }
    },
  }
}

const replyOf = (response: OutgoingResponse): RemoteReply => ({
  cookies: [response.headers['set-cookie'] ?? []].flat(),
  whole() {
    checkWhole(response)
    return response.body
  },
  answer: () => readAnswer(response),
})

async function* explained(events: AsyncIterable<RemoteEvent>, server: HttpServer): AsyncGenerator<RemoteEvent> {
  try {
    yield* events
  } catch (error) {
    throw unanswered(error, server)
  }
}

/** The timeout of a remote server in milliseconds. */
export const timeoutOf = ({ timeout_seconds: seconds }: RemoteSchemaDefinition): number =>
  (seconds ?? defaultTimeout) * 1000

const requestHeaders = (
  definition: RemoteSchemaDefinition,
  call: RemoteCaller,
  { dialect, environment }: Pick<HttpServices, 'dialect' | 'environment'>,
): Record<string, string> => ({
  ...(definition.forward_client_headers && forwardedHeaders(call.headers, dialect)),
  ...sessionHeaders(call.session),
  ...configuredHeaders(definition.headers ?? [], environment),
})

const sessionHeaders = ({ variables }: Session): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, headerBytes(value)]))

/** HTTP sends each character of a header as one byte, so UTF-8 is spelled as Latin-1. */
const headerBytes = (value: string): string => Buffer.from(value).toString('latin1')

/** The error for a missing answer. The URL is in `internal`, which only administrators see. */
function unanswered(error: unknown, { name, definition }: HttpServer): unknown {
  if (!(error instanceof OutgoingError)) return error
  const url = shownUrl(definition)
  const internal = { remote_schema: name, url, message: error.message }
  const message = `HTTP exception occurred while sending the request to ${url}`
  const inInterface2 = { message, code: 'remote-schema-error' }
  return internalError(failures[error.reason], { internal, cause: error, inInterface2 })
}

/** The messages of clients' errors for each reason why there is no answer. */
export const failures: Readonly<Record<OutgoingError['reason'], string>> = {
  timeout: 'ResponseTimeout',
  connection: 'ConnectionFailure',
  forbidden: 'ConnectionFailure',
  'invalid-url': 'InvalidUrlException',
  'too-large': 'ResponseTooLarge',
  unreadable: 'ResponseUnreadable',
}
