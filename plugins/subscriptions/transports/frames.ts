// Bodies of answers within messages. What goes to many subscribers is put together once for all whose messages are the same.

interface Frame {
  readonly prefix: string
  readonly suffix: string
  readonly message: Buffer
}

/** The message that a body was put into last: ids of operations are alike from client to client. */
const last = new WeakMap<Buffer, Frame>()

/** The body with text around it. */
export function framed(body: Buffer | string, prefix: string, suffix: string): Buffer {
  if (typeof body === 'string') return Buffer.from(prefix + body + suffix)
  const known = last.get(body)
  if (known && known.prefix === prefix && known.suffix === suffix) return known.message
  const message = Buffer.concat([Buffer.from(prefix), body, Buffer.from(suffix)])
  last.set(body, { prefix, suffix, message })
  return message
}
