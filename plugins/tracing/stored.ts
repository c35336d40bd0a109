// A span as triggers read it and events keep it: the numbers of v1.3, and W3C's form beside them where there is one, since
// its traces do not fit.

import type { SpanIds, SpanNumbers } from './ids.ts'
import { spanOfTraceParent, w3cHeaders } from './propagation.ts'

const numberOf = (digits: string): string => String(BigInt(`0x${digits}`))

const numbersOf = ({ traceId, spanId }: SpanIds): SpanNumbers => ({
  trace: numberOf(traceId.slice(16)),
  span: numberOf(spanId),
})

/** JSON text; the numbers have 64 bits. `w3c`: what those who follow W3C take for the span. */
export function storedSpan(ids: SpanIds, w3c: SpanIds | null): string {
  const { trace, span } = ids.numbers ?? numbersOf(ids)
  const numbers = `"trace_id":${trace},"span_id":${span}`
  if (!w3c) return `{${numbers}}`
  const texts = Object.entries(w3cHeaders(w3c)).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  return `{${numbers}${texts.join('')}}`
}

/** The span of such a text; null when it holds none. */
export function readStoredSpan(text: string): SpanIds | null {
  const parent = stringIn(text, 'traceparent')
  if (parent !== null) return spanOfTraceParent(parent, stringIn(text, 'tracestate'))
  const traceId = digitsIn(text, 'trace_id')
  const spanId = digitsIn(text, 'span_id')
  if (traceId === null || spanId?.length !== 16) return null
  return { traceId: traceId.padStart(32, '0'), spanId, parentSpanId: null, sampled: null, state: null }
}

/** A member as at least 16 hexadecimal digits: of servers of v1.3 it is a number, of which JSON's own would lose some; of v2 it is those. */
function digitsIn(text: string, key: string): string | null {
  const member = new RegExp(`"${key}"\\s*:\\s*(?:"([0-9a-f]{32}|[0-9a-f]{16})"|"?(\\d{1,20})"?\\s*[,}])`, 'i')
  const [, digits, number] = member.exec(text) ?? []
  if (digits !== undefined) return digits.toLowerCase()
  return number === undefined ? null : BigInt.asUintN(64, BigInt(number)).toString(16).padStart(16, '0')
}

function stringIn(text: string, key: string): string | null {
  const [, literal] = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text) ?? []
  return literal === undefined ? null : JSON.parse(literal)
}
