// Chooses the transport of a remote server's subscriptions: the one in its definition, else the first that the server accepts.

import { internalError } from '../../../sdk/index.ts'
import type { Outgoing } from '../../../sdk/services.ts'
import type { RemoteSchemaDefinition, SubscriptionTransport } from '../schema.ts'
import type { RemoteEvent } from '../servers/transport.ts'
import { bySentEvents } from './server-sent-events.ts'
import type { SubscriptionRequest, Transport } from './transport.ts'
import { byWebSocket } from './web-socket.ts'

const transports: Readonly<Record<SubscriptionTransport, Transport>> = { sse: bySentEvents, websocket: byWebSocket }

/** The server of a subscription; the same object for all of its subscriptions. */
interface Subscribed {
  readonly name: string
  readonly definition: Pick<RemoteSchemaDefinition, 'subscription_transport'>
}

/** Begins subscriptions at remote servers, and remembers the transport that each accepted last. */
export class RemoteSubscriptions {
  readonly #outgoing: Outgoing
  readonly #accepted = new WeakMap<Subscribed, SubscriptionTransport>()

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing
  }

  /** The events of a subscription that has begun. If the server refuses it with errors, these are the only event. */
  async begin(remote: Subscribed, request: SubscriptionRequest): Promise<AsyncIterable<RemoteEvent>> {
    let refusal: RemoteEvent | null = null
    for (const transport of this.#transportsOf(remote)) {
      const begun = await transports[transport](request, this.#outgoing)
      if ('events' in begun) {
        this.#accepted.set(remote, transport)
        return begun.events
      }
      refusal ??= begun.refusal
    }
    if (refusal && Array.isArray(refusal['errors'])) return only({ errors: refusal['errors'] })
    throw internalError('the remote server serves no subscriptions', { internal: { remote_schema: remote.name } })
  }

  #transportsOf(remote: Subscribed): readonly SubscriptionTransport[] {
    const { subscription_transport: given } = remote.definition
    if (given) return [given]
    return this.#accepted.get(remote) === 'websocket' ? ['websocket', 'sse'] : ['sse', 'websocket']
  }
}

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item
}
