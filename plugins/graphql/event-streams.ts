// Answers as server-sent events, for the plugin that serves them.

import type { SchemaKind } from '../../sdk/graphql.ts'
import type { RouteCall } from '../../sdk/http.ts'
import { serviceKey } from '../../sdk/index.ts'

/** Answers a request for events; what it throws is answered as an error. */
export type ServeEvents = (call: RouteCall, schema: SchemaKind) => unknown

/** What answers requests for events on the paths of GraphQL; until somebody does, they are answered like all others. */
export class EventStreams {
  #serve: ServeEvents | null = null

  /** Has requests for events answered this way. */
  use(serve: ServeEvents): void {
    this.#serve = serve
  }

  /** What answers a request whose client takes nothing but events; null where that is not so, or nothing serves them. */
  for({ request: { headers } }: RouteCall): ServeEvents | null {
    if (this.#serve === null) return null
    return wantsEvents(headers.accept) || headers[streamTokenHeader] !== undefined ? this.#serve : null
  }

  /** What answers a subscription of a client that takes events beside JSON, as which it gets everything else. */
  forSubscription({ request: { headers } }: RouteCall): ServeEvents | null {
    return takesEvents(headers.accept) ? this.#serve : null
  }
}

/** For the plugin that serves events, and for those with paths of GraphQL. */
export const eventStreams = serviceKey<EventStreams>('event-streams')

/** Names the stream that the results of a request go to, which is another answer. */
export const streamTokenHeader = 'x-graphql-event-stream-token'

/** Whether an `Accept` header names events among what the client takes. */
const takesEvents = (accept: string | undefined): accept is string => accept?.includes('text/event-stream') === true

/** Whether an `Accept` header asks for events, and takes no JSON in their place. */
export const wantsEvents = (accept: string | undefined): boolean =>
  takesEvents(accept) && !/\bjson\b|application\/\*|\*\/\*/.test(accept)
