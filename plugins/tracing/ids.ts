// Ids of spans and traces.

import { randomFillSync } from 'node:crypto'
import { idsAtOnce } from './tuning.ts'

/** The ids of a span that its children need. */
export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentSpanId: string | null
  /** Whether it is recorded; null: not decided. */
  readonly sampled: boolean | null
  /** The W3C `tracestate`. */
  readonly state: string | null
  /** The ids as numbers, if they are known already. */
  readonly numbers?: SpanNumbers
}

/** The lower 64 bits as decimal digits. */
export interface SpanNumbers {
  readonly trace: string
  readonly span: string
}

const [idBytes, idDigits] = [8, 16]

let made: readonly { readonly digits: string; readonly number: string }[] = []
let used = 0

function newId() {
  if (used === made.length) {
    made = makeIds()
    used = 0
  }
  return made[used++]!
}

function makeIds() {
  const bytes = randomFillSync(Buffer.alloc(idsAtOnce * idBytes))
  const digits = bytes.toString('hex')
  return Array.from({ length: idsAtOnce }, (_, i) => ({
    digits: digits.slice(i * idDigits, (i + 1) * idDigits),
    number: String(bytes.readBigUInt64BE(i * idBytes)),
  }))
}

export const newSpanId = (): string => newId().digits

const upperBits = '0'.repeat(idDigits)

/** Begins a trace. Its id has 64 random bits, as in v1.3, so that it fits the numbers that triggers read. */
export function newTrace(): SpanIds {
  const [trace, span] = [newId(), newId()]
  return {
    traceId: upperBits + trace.digits,
    spanId: span.digits,
    parentSpanId: null,
    sampled: null,
    state: null,
    numbers: { trace: trace.number, span: span.number },
  }
}

/** Creates the ids of a child span. */
export const childOf = ({ numbers: _, ...parent }: SpanIds): SpanIds => ({
  ...parent,
  spanId: newSpanId(),
  parentSpanId: parent.spanId,
})
