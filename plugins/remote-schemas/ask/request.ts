// Sends a request to a remote server, and reports why there is no answer.

import type { GroupedCall } from '../../../sdk/graphql.ts'
import { type Dialect, type Engine, internalError, type Session } from '../../../sdk/index.ts'
import { configuredHeaders, forwardedHeaders, OutgoingError, type OutgoingResponse } from '../../../sdk/services.ts'
import { shownUrl } from '../address.ts'
import type { RemoteSchemaModel } from '../metadata.ts'
import { defaultTimeout } from '../types/introspect.ts'

/** The services that sending a request needs. */
export interface RequestContext extends Pick<Engine, 'outgoing'> {
  readonly dialect: Dialect
  environment(name: string): string | undefined
}

interface RemoteRequest {
  readonly body: string
  /** The session, the client's headers, and the abort signal. */
  readonly call: Pick<GroupedCall, 'session' | 'headers' | 'signal'>
}

/** Sends a request. Of headers with the same name, configured ones win over the session's, and these over the client's. */
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

/** The timeout of a remote server in milliseconds. */
export const timeoutOf = ({ definition }: RemoteSchemaModel): number =>
  (definition.timeout_seconds ?? defaultTimeout) * 1000

/** The headers of every request to a remote server. */
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

/** HTTP sends each character of a header as one byte, so UTF-8 is spelled as Latin-1. */
const headerBytes = (value: string): string => Buffer.from(value).toString('latin1')

/** The error for a missing answer. The URL is in `internal`, which only administrators see. */
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
