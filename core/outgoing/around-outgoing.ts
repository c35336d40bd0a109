// Requests to other servers as plugins see them.

import type { OutgoingRequest, OutgoingResponse } from './request.ts'

/** Sends the request by `send`, perhaps with changed headers, and returns the response; or throws to refuse it. */
export type AroundOutgoing = (
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
) => Promise<OutgoingResponse>

/** The function around outgoing requests; null where no plugin has one. */
export interface OutgoingHooks {
  readonly outgoing: AroundOutgoing | null
}
