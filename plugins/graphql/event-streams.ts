// Answers as server-sent events, for the plugin that serves them.

import type { SchemaKind } from '../../sdk/graphql.ts'
import type { RouteCall } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'

/** Answers a request for events; what it throws is answered as an error. */
export type EventStreams = (call: RouteCall, schema: SchemaKind) => unknown

const streams = new WeakMap<Engine['app'], EventStreams>()

/** Has requests for events answered this way. */
export function serveEvents({ app }: Engine, serve: EventStreams): void {
  streams.set(app, serve)
}

/** What answers a request for events; null where it is none, or nothing does. */
export function eventStreamsFor({ app }: Engine, { request }: RouteCall): EventStreams | null {
  const { headers } = request
  const isAsked = wantsEvents(headers.accept) || headers[streamTokenHeader] !== undefined
  return isAsked ? (streams.get(app) ?? null) : null
}

/** Names the stream that the results of a request go to, which is another answer. */
export const streamTokenHeader = 'x-graphql-event-stream-token'

/** Whether an `Accept` header asks for events. */
export const wantsEvents = (accept: string | undefined): boolean => accept?.includes('text/event-stream') === true
