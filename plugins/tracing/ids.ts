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
  /** The numbers that its names are, where they are known already. */
  readonly numbers?: SpanNumbers
}

/** Decimal digits of the lower 64 bits. */
export interface SpanNumbers {
  readonly trace: string
  readonly span: string
}

const [idBytes, idDigits] = [8, 16]

/** Names that are made at once: one by one they would cost several times as much. */
const atOnce = 128

let names: readonly { readonly digits: string; readonly number: string }[] = []
let used = 0

function newName() {
  if (used === names.length) {
    names = makeNames()
    used = 0
  }
  return names[used++]!
}

function makeNames() {
  const bytes = randomFillSync(Buffer.alloc(atOnce * idBytes))
  const digits = bytes.toString('hex')
  return Array.from({ length: atOnce }, (_, i) => ({
    digits: digits.slice(i * idDigits, (i + 1) * idDigits),
    number: String(bytes.readBigUInt64BE(i * idBytes)),
  }))
}

export const newSpanId = (): string => newName().digits

const upperBits = '0'.repeat(idDigits)

/** A trace of our own has 64 bits, as those of v1.3: they are enough, and fit what triggers are told. */
export function newTrace(): SpanIds {
  const [trace, span] = [newName(), newName()]
  return {
    traceId: upperBits + trace.digits,
    spanId: span.digits,
    parentSpanId: null,
    sampled: null,
    state: null,
    numbers: { trace: trace.number, span: span.number },
  }
}

/** A span below another one. */
export const childOf = ({ numbers: _, ...parent }: SpanIds): SpanIds => ({
  ...parent,
  spanId: newSpanId(),
  parentSpanId: parent.spanId,
})
