// The form of a span for triggers and stored events: the numbers of v1.3, or the digits of version 2, and the W3C form if
// there is one, since W3C ids do not fit the numbers.

import type { InterfaceName } from '../../sdk/metadata.ts'
import type { SpanIds, SpanNumbers } from './ids.ts'
import { spanOfTraceParent, w3cHeaders } from './propagation.ts'

const numberOf = (digits: string): string => String(BigInt(`0x${digits}`))

const numbersOf = ({ traceId, spanId }: SpanIds): SpanNumbers => ({
  trace: numberOf(traceId.slice(16)),
  span: numberOf(spanId),
})

/** JSON text with the ids in the form of the interface; `w3c` is the span for W3C headers. */
export function storedSpan(ids: SpanIds, w3c: SpanIds | null, form: InterfaceName): string {
  const own = form === '2' ? digitsOf(ids) : numberMembers(ids)
  if (!w3c) return `{${own}}`
  const texts = Object.entries(w3cHeaders(w3c)).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  return `{${own}${texts.join('')}}`
}

function numberMembers(ids: SpanIds): string {
  const { trace, span } = ids.numbers ?? numbersOf(ids)
  return `"trace_id":${trace},"span_id":${span}`
}

const digitsOf = ({ traceId, spanId, sampled }: SpanIds): string =>
  `"trace_id":"${traceId}","span_id":"${spanId}"${sampled === null ? '' : `,"sampling_state":"${sampled ? 1 : 0}"`}`

/** The span in such a text; null if it holds no valid one. */
export function readStoredSpan(text: string): SpanIds | null {
  const parent = stringIn(text, 'traceparent')
  if (parent !== null) return spanOfTraceParent(parent, stringIn(text, 'tracestate'))
  const traceId = digitsIn(text, 'trace_id')
  const spanId = digitsIn(text, 'span_id')
  if (traceId === null || spanId?.length !== 16) return null
  const decision = stringIn(text, 'sampling_state')
  const sampled = decision === null ? null : decision === '1'
  return { traceId: traceId.padStart(32, '0'), spanId, parentSpanId: null, sampled, state: null }
}

/** An id as 16 or 32 hexadecimal digits. v1.3 writes a number, which JSON.parse would round; v2 writes digits. */
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
