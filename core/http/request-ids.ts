// Generates ids for requests without an `X-Request-Id`.

import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { idsAtOnce } from './tuning.ts'

const [idBytes, idLength] = [16, 36]

/** Start and end of the five groups in the 32 hex digits of a UUID. */
const groups = [
  [0, 8],
  [8, 12],
  [12, 16],
  [16, 20],
  [20, 32],
] as const

/** The concatenated ids that are generated but not yet used. */
let ids = ''
let used = 0

/** Returns a new random UUID (RFC 9562, version 4). */
export function newRequestId(): string {
  if (used === ids.length) {
    ids = makeIds()
    used = 0
  }
  used += idLength
  return ids.slice(used - idLength, used)
}

function makeIds(): string {
  const bytes = randomFillSync(Buffer.alloc(idsAtOnce * idBytes))
  let text = ''
  for (let at = 0; at < bytes.length; at += idBytes) {
    bytes[at + 6] = (bytes[at + 6]! & 0x0f) | 0x40
    bytes[at + 8] = (bytes[at + 8]! & 0x3f) | 0x80
    const digits = bytes.toString('hex', at, at + idBytes)
    text += groups.map(([start, end]) => digits.slice(start, end)).join('-')
  }
  // V8 would flatten a concatenated string at each access, so make a flat copy.
  return Buffer.from(text, 'latin1').toString('latin1')
}
