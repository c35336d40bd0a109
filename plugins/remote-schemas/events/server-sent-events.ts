// Subscriptions by server-sent events: the answer to a POST goes on for as long as there are events. Servers that end the
// answer without the event `complete` mean the same by it.

import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { OutgoingError, type OutgoingStream } from '../../../sdk/services.ts'
import { readObject } from '../ask/answer.ts'
import { type Begun, maxEventSize, type RemoteEvent, type SubscriptionRequest, type Transport } from './transport.ts'

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

/** Characters of what is no stream that are read. */
const mostOfRefusal = 65_536

/** The response that was given in place of events; null: none, or a long one. */
async function refusalOf({ status, body }: OutgoingStream): Promise<RemoteEvent | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostOfRefusal) return null
  }
  try {
    return readObject(Buffer.concat(chunks), status)
  } catch {
    return null
  }
}
