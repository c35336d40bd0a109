// A request to a remote server, and why there is no answer to it.

import type { GroupedCall } from '../../../sdk/graphql.ts'
import { type Dialect, type Engine, internalError, type Session } from '../../../sdk/index.ts'
import { configuredHeaders, forwardedHeaders, OutgoingError, type OutgoingResponse } from '../../../sdk/services.ts'
import { shownUrl } from '../address.ts'
import type { RemoteSchemaModel } from '../metadata.ts'
import { defaultTimeout } from '../types/introspect.ts'

/** What requests are sent with. */
export interface RequestContext extends Pick<Engine, 'outgoing'> {
  readonly dialect: Dialect
  environment(name: string): string | undefined
}

interface RemoteRequest {
  readonly body: string
  /** Who asks, and what ends it. */
  readonly call: Pick<GroupedCall, 'session' | 'headers' | 'signal'>
}

/** Sends a request with the headers that are configured, else the session's, else the client's. */
export async function sendRequest(
  remote: RemoteSchemaModel,
  { body, call }: RemoteRequest,
  context: RequestContext,
): Promise<OutgoingResponse> {
  const headers = { accept: 'application/json', ...requestHeaders(remote, call, context) }
  const { signal } = call
  try {
    const request = { method: 'POST', url: remote.url, headers, body, timeout: timeoutOf(remote) } as const
    return await context.outgoing.send({ ...request, ...(signal && { signal }) })
  } catch (error) {
    throw unanswered(error, remote)
  }
}

/** Milliseconds that a remote server has. */
export const timeoutOf = ({ definition }: RemoteSchemaModel): number =>
  (definition.timeout_seconds ?? defaultTimeout) * 1000

/** The headers of all that a remote server is asked. */
export const requestHeaders = (
  { definition }: RemoteSchemaModel,
  call: RemoteRequest['call'],
  { dialect, environment }: Pick<RequestContext, 'dialect' | 'environment'>,
): Record<string, string> => ({
  ...(definition.forward_client_headers && forwardedHeaders(call.headers, dialect)),
  ...sessionHeaders(call.session),
  ...configuredHeaders(definition.headers ?? [], environment),
})

const sessionHeaders = ({ variables }: Session): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, headerBytes(value)]))

/** A header's characters are bytes. */
const headerBytes = (value: string): string => Buffer.from(value).toString('latin1')

/** Why there is no answer; where the server is, only administrators may know. */
export function unanswered(error: unknown, { name, definition }: RemoteSchemaModel): unknown {
  if (!(error instanceof OutgoingError)) return error
  const internal = { remote_schema: name, url: shownUrl(definition), message: error.message }
  return internalError(failures[error.reason], { internal, cause: error })
}

const failures: Readonly<Record<OutgoingError['reason'], string>> = {
  timeout: 'ResponseTimeout',
  connection: 'ConnectionFailure',
  forbidden: 'ConnectionFailure',
  'invalid-url': 'InvalidUrlException',
  'too-large': 'ResponseTooLarge',
  unreadable: 'ResponseUnreadable',
}
