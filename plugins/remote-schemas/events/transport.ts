// The interface of the transports that carry subscriptions to remote servers.

import type { Outgoing } from '../../../sdk/services.ts'
import type { RemoteEvent } from '../servers/transport.ts'

/** A subscription at a remote server. */
export interface SubscriptionRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the request. */
  readonly body: string
  /** Timeout in milliseconds until the subscription begins. */
  readonly timeout: number
  /** Aborted when the subscription ends on this side. */
  readonly signal: AbortSignal
}

/** Begins a subscription; the result is a refusal if the server does not support the transport. */
export type Transport = (request: SubscriptionRequest, outgoing: Outgoing) => Promise<Begun>

export type Begun =
  | { readonly events: AsyncIterable<RemoteEvent> }
  /** The GraphQL response that the server sent instead, if any. */
  | { readonly refusal: RemoteEvent | null }
