// `GET /v1alpha1/feed`.

import { type Route, type RouteCall, sendStreamHead } from '../../sdk/http.ts'
import { Type } from '../../sdk/index.ts'
import { atTime } from '../../sdk/services.ts'
import type { Feed, FeedClient } from './feed.ts'
import { keepAliveMillis, leastReconnectMillis, mostBuffered, reconnectSpreadMillis } from './tuning.ts'

/** The feed; administrators only. */
export const feedRoute = (feed: Feed): Route => ({
  method: 'GET',
  url: '/v1alpha1/feed',
  auth: 'admin',
  about: {
    summary: 'Tells of new metadata versions, events and runs of jobs, as server-sent events.',
    contentType: 'text/event-stream',
    result: Type.String(),
    failures: { 503: { summary: 'the feed has too many clients, or the server stops' } },
  },
  handle(call) {
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-request-id': call.request.id,
    }
    if (call.request.method === 'HEAD') return sendStreamHead(call.reply, headers)
    open(feed, call, headers)
  },
})

function open(feed: Feed, { reply, session }: RouteCall, headers: Readonly<Record<string, string>>): void {
  const { raw } = reply
  // News may come before the stream is open, but only after this turn.
  const write = (text: string) => {
    if (raw.destroyed || raw.writableEnded) return
    // A client that takes nothing reads the states again when it comes back.
    if (raw.writableLength > mostBuffered) raw.destroy()
    else raw.write(text)
  }
  const client: FeedClient = {
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end() {
      write(`retry: ${Math.floor(leastReconnectMillis + Math.random() * reconnectSpreadMillis)}\n\n`)
      raw.end()
    },
  }
  const remove = feed.add(client)
  reply.hijack()
  raw.on('error', () => {})
  raw.writeHead(200, headers)
  write(':\n\n')
  const keepAlive = setInterval(() => write(':\n\n'), keepAliveMillis).unref()
  const cancelExpiry = atTime(session.expiresAt, () => raw.end())
  const closed = () => {
    clearInterval(keepAlive)
    cancelExpiry()
    remove()
  }
  // The `close` event of a disconnected client has passed already.
  if (raw.closed) setImmediate(closed)
  else raw.once('close', closed)
}
