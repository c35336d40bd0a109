// Bodies of answers within messages. What goes to many subscribers is put together once for all whose messages are the same.

/** Text around the bodies of an operation's results. */
export interface Envelope {
  readonly prefix: string
  readonly suffix: string
}

/** Envelopes that are kept, and how long the texts of one of them may be. */
const mostEnvelopes = 1000
const longestEnvelope = 200

const envelopes = new Map<string, Envelope>()

/** An envelope; ids of operations are alike from client to client, and so are their envelopes the same object. */
export function envelopeOf(prefix: string, suffix: string): Envelope {
  const text = `${prefix}\0${suffix}`
  const known = envelopes.get(text)
  if (known) return known
  const envelope = { prefix, suffix }
  if (text.length > longestEnvelope) return envelope
  if (envelopes.size === mostEnvelopes) envelopes.clear()
  envelopes.set(text, envelope)
  return envelope
}

/** Messages of one body that are kept as long as it is. */
const mostMessages = 16

type Enclose = (body: Buffer, envelope: Envelope) => Buffer

/** The same, once for each body and envelope. */
function once(enclose: Enclose): Enclose {
  const made = new WeakMap<Buffer, Map<Envelope, Buffer>>()
  return (body, envelope) => {
    let messages = made.get(body)
    const known = messages?.get(envelope)
    if (known) return known
    if (!messages || messages.size === mostMessages) {
      messages = new Map()
      made.set(body, messages)
    }
    const message = enclose(body, envelope)
    messages.set(envelope, message)
    return message
  }
}

/** The body with the text around it. */
export const framed: Enclose = once((body, { prefix, suffix }) => {
  const before = Buffer.byteLength(prefix)
  const message = Buffer.allocUnsafe(before + body.length + Buffer.byteLength(suffix))
  message.write(prefix)
  body.copy(message, before)
  message.write(suffix, before + body.length)
  return message
})

/** The same as a frame of a WebSocket. */
export const framedText: Enclose = once((body, { prefix, suffix }) => {
  const before = Buffer.byteLength(prefix)
  const { frame, start } = emptyFrame(before + body.length + Buffer.byteLength(suffix))
  frame.write(prefix, start)
  body.copy(frame, start + before)
  frame.write(suffix, start + before + body.length)
  return frame
})

/** A text as a frame of a WebSocket. */
export function textFrame(text: string): Buffer {
  const { frame, start } = emptyFrame(Buffer.byteLength(text))
  frame.write(text, start)
  return frame
}

/** The whole of a text message that no mask covers. */
const finalText = 0x81

/** Lengths up to which one byte tells them, and two. */
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

/** What a frame of this server carries. */
export function payloadOf(frame: Buffer): Buffer {
  const told = frame[1]!
  return frame.subarray(told <= shortest ? 2 : told === 126 ? 4 : 10)
}
