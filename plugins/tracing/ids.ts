// The names of spans and traces.

import { randomFillSync } from 'node:crypto'

/** A span, as far as those that come after it need to know. */
export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentSpanId: string | null
  /** Whether it is recorded; null: nobody has decided. */
  readonly sampled: boolean | null
  /** What the parties to the trace tell each other, by W3C's rules. */
  readonly state: string | null
}

const idBytes = 8

/** Random bytes for many names: asking the system for so few at a time would cost more than everything else here. */
const pool = Buffer.alloc(256 * idBytes)
let used = pool.length

export function newSpanId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.toString('hex', used - idBytes, used)
}

/** A trace of our own has 64 bits, as those of v1.3: they are enough, and fit what triggers are told. */
export const newTrace = (): SpanIds => ({
  traceId: newSpanId().padStart(32, '0'),
  spanId: newSpanId(),
  parentSpanId: null,
  sampled: null,
  state: null,
})

/** A span below another one. */
export const childOf = (parent: SpanIds): SpanIds => ({
  ...parent,
  spanId: newSpanId(),
  parentSpanId: parent.spanId,
})
