// Chooses the transport of a remote server's subscriptions: the one in its definition, else the first that the server accepts.

import { internalError } from '../../../sdk/index.ts'
import type { Outgoing } from '../../../sdk/services.ts'
import type { RemoteSchemaModel } from '../metadata.ts'
import type { SubscriptionTransport } from '../schema.ts'
import { bySentEvents } from './server-sent-events.ts'
import type { RemoteEvent, SubscriptionRequest, Transport } from './transport.ts'
import { byWebSocket } from './web-socket.ts'

const transports: Readonly<Record<SubscriptionTransport, Transport>> = { sse: bySentEvents, websocket: byWebSocket }

/** The transport that a server accepted last. */
const known = new WeakMap<RemoteSchemaModel, SubscriptionTransport>()

/** The events of a subscription that has begun. If the server refuses it with errors, these are the only event. */
export async function subscribe(
  remote: RemoteSchemaModel,
  request: SubscriptionRequest,
  outgoing: Outgoing,
): Promise<AsyncIterable<RemoteEvent>> {
  let refusal: RemoteEvent | null = null
  for (const transport of transportsOf(remote)) {
    const begun = await transports[transport](request, outgoing)
    if ('events' in begun) {
      known.set(remote, transport)
      return begun.events
    }
    refusal ??= begun.refusal
  }
  if (refusal && Array.isArray(refusal['errors'])) return only({ errors: refusal['errors'] })
  throw internalError('the remote server serves no subscriptions', { internal: { remote_schema: remote.name } })
}

function transportsOf(remote: RemoteSchemaModel): readonly SubscriptionTransport[] {
  const { subscription_transport: given } = remote.definition
  if (given) return [given]
  return known.get(remote) === 'websocket' ? ['websocket', 'sse'] : ['sse', 'websocket']
}

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item
}
