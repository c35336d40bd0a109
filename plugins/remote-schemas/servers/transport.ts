// The way to the server of a remote schema, which may be another server, or code in this process.

import type { GroupedCall } from '../../../sdk/graphql.ts'
import type { WireObject } from '../../../sdk/metadata.ts'

/** The part of a call that a server may learn. */
export type RemoteCaller = Pick<GroupedCall, 'session' | 'headers' | 'signal'>

/** A request to a server. */
export interface RemoteRequest {
  /** The JSON of the request. */
  readonly body: string
  /** The session, the client's headers, and the abort signal. */
  readonly call: RemoteCaller
}

/** An error of a server's answer. */
export interface RemoteError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly [member: string]: unknown
}

/** A server's answer. */
export interface RemoteAnswer {
  readonly data: WireObject | null
  readonly errors: readonly RemoteError[]
}

/** An answer that was not read yet. */
export interface RemoteReply {
  /** The values of `Set-Cookie`. */
  readonly cookies: readonly string[]
  /** The JSON for the client; throws if clients could not read it. */
  whole(): Buffer | string
  /** The answer; numbers keep their digits. Throws if it is not a GraphQL response. */
  answer(): RemoteAnswer
}

/** A response of a subscription; numbers keep their digits. */
export type RemoteEvent = WireObject

/** Sends requests to one server. Rejects with the error for the client if there is no answer. */
export interface RemoteTransport {
  /** A text that differs for servers that may answer differently; a subscription begins again when it changes. */
  readonly origin: string
  send(request: RemoteRequest): Promise<RemoteReply>
  /** The events of a subscription that has begun. If the server refuses it with errors, these are the only event. */
  begin(request: RemoteRequest): Promise<AsyncIterable<RemoteEvent>>
}
