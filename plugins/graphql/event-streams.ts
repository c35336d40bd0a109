// Answers as server-sent events, for the plugin that serves them.

import type { GraphQLRequest, SchemaKind } from '../../sdk/graphql.ts'
import type { RouteCall, RouteRequest } from '../../sdk/http.ts'
import { serviceKey } from '../../sdk/index.ts'

/** Answers a request for events; a thrown error becomes the answer. */
export type ServeEvents = (call: RouteCall, schema: SchemaKind) => unknown

/** A server of events. */
export interface EventServer {
  /** By POST. */
  serve(call: RouteCall, schema: SchemaKind): unknown
  /** By GET: a query or a subscription. */
  run(given: GraphQLRequest, call: RouteCall, schema: SchemaKind): unknown
  /** Opens the stream that a client has reserved. */
  open(token: string, call: RouteCall): unknown
}

/** Holds the server of events on the paths of GraphQL. Without one, requests for events are answered like all others. */
export class EventStreams {
  #server: EventServer | null = null

  /** The server of events; null until `use` sets it. */
  get server(): EventServer | null {
    return this.#server
  }

  /** Has requests for events answered this way. */
  use(server: EventServer): void {
    this.#server = server
  }

  get #serve(): ServeEvents | null {
    const server = this.#server
    return server && ((call, schema) => server.serve(call, schema))
  }

  /** The server of a request whose client accepts only events; null for other requests, and without a server. */
  for({ request: { headers } }: RouteCall): ServeEvents | null {
    return wantsEvents(headers.accept) || headers[streamTokenHeader] !== undefined ? this.#serve : null
  }

  /** The server of a subscription whose client accepts events beside JSON; its other operations are answered as JSON. */
  forSubscription({ request: { headers } }: RouteCall): ServeEvents | null {
    return takesEvents(headers.accept) ? this.#serve : null
  }
}

/** For the plugin that serves events, and for those with paths of GraphQL. */
export const eventStreams = serviceKey<EventStreams>('event-streams')

/** Names the stream that the results of a request go to, which is another answer. */
export const streamTokenHeader = 'x-graphql-event-stream-token'

/** The stream that a request belongs to; null: none. */
export function streamTokenOf({ headers, query }: RouteRequest): string | null {
  const given = headers[streamTokenHeader] ?? query['token']
  return typeof given === 'string' ? given : null
}

/** Whether an `Accept` header accepts events. */
const takesEvents = (accept: string | undefined): accept is string => accept?.includes('text/event-stream') === true

/** Whether an `Accept` header asks for events, and takes no JSON in their place. */
export const wantsEvents = (accept: string | undefined): boolean =>
  takesEvents(accept) && !/\bjson\b|application\/\*|\*\/\*/.test(accept)
