// Trace headers of requests: W3C's `traceparent` and `tracestate`, and both forms of B3.

import { headerText, type RequestHeaders } from '../../sdk/http.ts'
import type { SpanIds } from './ids.ts'

const zeros = /^0+$/

/** W3C requires to pass on at least this many characters. */
const maxState = 512

/** The parent span in a request's headers; null if they have no valid one. W3C headers take precedence. */
export const spanOf = (headers: RequestHeaders): SpanIds | null =>
  w3cSpan(headers) ?? b3Span(headers) ?? shortB3Span(headers)

const traceParent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent`. Later versions may have more parts; `ff` is invalid. */
export function spanOfTraceParent(text: string, state: string | null): SpanIds | null {
  const [, version, traceId = '', spanId = '', flags = '', rest] = traceParent.exec(text.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (zeros.test(traceId) || zeros.test(spanId)) return null
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, parentSpanId: null, sampled, state }
}

function w3cSpan(headers: RequestHeaders): SpanIds | null {
  const parent = headerText(headers, 'traceparent')
  if (parent === undefined) return null
  const state = headerText(headers, 'tracestate')
  return spanOfTraceParent(parent, state !== undefined && state.length <= maxState ? state : null)
}

function b3Span(headers: RequestHeaders): SpanIds | null {
  const traceId = headerText(headers, 'x-b3-traceid')
  const spanId = headerText(headers, 'x-b3-spanid')
  if (traceId === undefined || spanId === undefined) return null
  const isDebugged = headerText(headers, 'x-b3-flags') === '1'
  return b3Ids(traceId, spanId, isDebugged ? 'd' : headerText(headers, 'x-b3-sampled'))
}

function shortB3Span(headers: RequestHeaders): SpanIds | null {
  const [traceId = '', spanId = '', sampling] = headerText(headers, 'b3')?.split('-') ?? []
  return b3Ids(traceId, spanId, sampling)
}

const decisions: ReadonlyMap<string, boolean> = new Map([
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
  ['d', true],
])

function b3Ids(trace: string, span: string, sampling: string | undefined): SpanIds | null {
  const isValid = /^([0-9a-f]{16}|[0-9a-f]{32})$/i.test(trace) && /^[0-9a-f]{16}$/i.test(span)
  if (!isValid || zeros.test(trace) || zeros.test(span)) return null
  const sampled = decisions.get(sampling ?? '') ?? null
  return {
    traceId: trace.toLowerCase().padStart(32, '0'),
    spanId: span.toLowerCase(),
    parentSpanId: null,
    sampled,
    state: null,
  }
}

/** The W3C headers of a span. */
export const w3cHeaders = ({ traceId, spanId, sampled, state }: SpanIds): Record<string, string> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  ...(state !== null && { tracestate: state }),
})

/** The B3 headers of a span. A 64-bit trace id is written with 16 digits. */
export const b3Headers = ({ traceId, spanId, parentSpanId, sampled }: SpanIds): Record<string, string> => ({
  'X-B3-TraceId': traceId.startsWith('0'.repeat(16)) ? traceId.slice(16) : traceId,
  'X-B3-SpanId': spanId,
  ...(parentSpanId !== null && { 'X-B3-ParentSpanId': parentSpanId }),
  ...(sampled !== null && { 'X-B3-Sampled': sampled ? '1' : '0' }),
})

const propagated = /^(traceparent|tracestate|b3|x-b3-(traceid|spanid|parentspanid|sampled|flags))$/i

/** Removes trace headers, so that those of another span can be added. */
export const withoutTrace = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !propagated.test(name)))
