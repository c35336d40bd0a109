// Subscriptions by server-sent events: the response to a POST stays open while there are events. Some servers end the response
// without the event `complete`; both end the subscription.

import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { OutgoingError, type OutgoingStream } from '../../../sdk/services.ts'
import { readObject } from '../ask/answer.ts'
import type { RemoteEvent } from '../servers/transport.ts'
import { largestRefusal, maxEventSize } from '../tuning.ts'
import type { Begun, SubscriptionRequest, Transport } from './transport.ts'

export const bySentEvents: Transport = async (given, outgoing): Promise<Begun> => {
  const { url, headers, body, timeout, signal }: SubscriptionRequest = given
  const accepting = { ...headers, accept: 'text/event-stream' }
  const stream = await outgoing.open({ method: 'POST', url, headers: accepting, body, timeout, signal })
  const type = String(stream.headers['content-type'] ?? '')
  const isStream = stream.status === 200 && /^text\/event-stream\b/i.test(type)
  return isStream ? { events: eventsOf(stream) } : { refusal: await refusalOf(stream) }
}

async function* eventsOf({ body }: OutgoingStream): AsyncGenerator<RemoteEvent> {
  const decoder = new TextDecoder()
  const received: EventSourceMessage[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxEventSize,
    onEvent: (event) => received.push(event),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const { event = 'next', data } of received.splice(0)) {
      if (event === 'complete') return
      if ((event === 'next' || event === 'message') && data !== '') yield readObject(data, 200)
    }
    if (isTooLarge) throw new OutgoingError('too-large', `an event is longer than ${maxEventSize} characters`)
  }
}

/** The GraphQL response that was sent instead of events; null if it is not one, or is too large. */
async function refusalOf({ status, body }: OutgoingStream): Promise<RemoteEvent | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > largestRefusal) return null
  }
  try {
    return readObject(Buffer.concat(chunks), status)
  } catch {
    return null
  }
}
