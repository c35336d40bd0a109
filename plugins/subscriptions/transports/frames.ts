// Messages around the bodies of answers. A message for many subscribers is built once.

import { keptEnvelopes, keptMessagesPerBody, longestKeptEnvelope } from '../tuning.ts'

/** The text around the results of an operation. */
export interface Envelope {
  readonly prefix: string
  readonly suffix: string
}

const envelopes = new Map<string, Envelope>()

/** An envelope. Clients use the same operation ids, so equal envelopes are one object. */
export function envelopeOf(prefix: string, suffix: string): Envelope {
  const text = `${prefix}\0${suffix}`
  const known = envelopes.get(text)
  if (known) return known
  const envelope = { prefix, suffix }
  if (text.length > longestKeptEnvelope) return envelope
  if (envelopes.size === keptEnvelopes) envelopes.clear()
  envelopes.set(text, envelope)
  return envelope
}

type Enclose = (body: Buffer, envelope: Envelope) => Buffer

/** Builds each message once per body and envelope. */
function once(enclose: Enclose): Enclose {
  const made = new WeakMap<Buffer, Map<Envelope, Buffer>>()
  return (body, envelope) => {
    let messages = made.get(body)
    const known = messages?.get(envelope)
    if (known) return known
    if (!messages || messages.size === keptMessagesPerBody) {
      messages = new Map()
      made.set(body, messages)
    }
    const message = enclose(body, envelope)
    messages.set(envelope, message)
    return message
  }
}

/** The body within its envelope. */
export const framed: Enclose = once((body, { prefix, suffix }) => {
  const before = Buffer.byteLength(prefix)
  const message = Buffer.allocUnsafe(before + body.length + Buffer.byteLength(suffix))
  message.write(prefix)
  body.copy(message, before)
  message.write(suffix, before + body.length)
  return message
})

/** The body within its envelope, as a WebSocket frame. */
export const framedText: Enclose = once((body, { prefix, suffix }) => {
  const before = Buffer.byteLength(prefix)
  const { frame, start } = emptyFrame(before + body.length + Buffer.byteLength(suffix))
  frame.write(prefix, start)
  body.copy(frame, start + before)
  frame.write(suffix, start + before + body.length)
  return frame
})

/** A text as a WebSocket frame. */
export function textFrame(text: string): Buffer {
  const { frame, start } = emptyFrame(Buffer.byteLength(text))
  frame.write(text, start)
  return frame
}

/** The first byte of an unfragmented text message. */
const finalText = 0x81

/** The largest lengths that fit into one byte and into two. */
const shortest = 125
const short = 65_535

function emptyFrame(length: number): { readonly frame: Buffer; readonly start: number } {
  const start = length <= shortest ? 2 : length <= short ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = finalText
  if (length <= shortest) frame[1] = length
  else if (length <= short) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  return { frame, start }
}

/** The payload of a frame that this server made. */
export function payloadOf(frame: Buffer): Buffer {
  const length = frame[1]!
  return frame.subarray(length <= shortest ? 2 : length === 126 ? 4 : 10)
}
