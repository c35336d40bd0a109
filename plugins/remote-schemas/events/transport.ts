// How remote servers are subscribed to, whatever carries the events.

import type { WireObject } from '../../../sdk/metadata.ts'
import type { Outgoing } from '../../../sdk/services.ts'

/** A subscription at another server. */
export interface SubscriptionRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the request. */
  readonly body: string
  /** Milliseconds within which it has to begin. */
  readonly timeout: number
  /** Aborts when nobody wants it any more. */
  readonly signal: AbortSignal
}

/** A response in the stream of them, numbers kept as they were written. */
export type RemoteEvent = WireObject

/** Begins a subscription; null where the server does not take it this way. */
export type Transport = (request: SubscriptionRequest, outgoing: Outgoing) => Promise<Begun>

export type Begun =
  | { readonly events: AsyncIterable<RemoteEvent> }
  /** What it says instead, as far as that is a response. */
  | { readonly refusal: RemoteEvent | null }

/** Characters that an event may have. */
export const maxEventSize = 16 * 2 ** 20

/** Milliseconds between two signs of life, and within which one has to be answered. */
export const heartbeat = 15_000
