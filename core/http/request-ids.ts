// The names of requests that come without one.

import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'

/** Made at once: made one by one they would cost more than finding the route. */
const atOnce = 64

const [idBytes, idLength] = [16, 36]

/** Where the five groups of digits begin and end in the 32 digits of an id. */
const groups = [
  [0, 8],
  [8, 12],
  [12, 16],
  [16, 20],
  [20, 32],
] as const

/** Ids that nobody has yet, one behind the other. */
let ids = ''
let used = 0

/** A new id: a UUID of random bits (RFC 9562, version 4). */
export function newRequestId(): string {
  if (used === ids.length) {
    ids = makeIds()
    used = 0
  }
  used += idLength
  return ids.slice(used - idLength, used)
}

function makeIds(): string {
  const bytes = randomFillSync(Buffer.alloc(atOnce * idBytes))
  let text = ''
  for (let at = 0; at < bytes.length; at += idBytes) {
    bytes[at + 6] = (bytes[at + 6]! & 0x0f) | 0x40
    bytes[at + 8] = (bytes[at + 8]! & 0x3f) | 0x80
    const digits = bytes.toString('hex', at, at + idBytes)
    text += groups.map(([start, end]) => digits.slice(start, end)).join('-')
  }
  // A text that was put together from parts would be flattened at each look at it.
  return Buffer.from(text, 'latin1').toString('latin1')
}
