import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SpanIds } from '../../plugins/tracing/ids.ts'
import { b3Headers, spanOf, w3cHeaders, withoutTrace } from '../../plugins/tracing/propagation.ts'
import { readStoredSpan, storedSpan } from '../../plugins/tracing/stored.ts'
import fc from '../support/fast-check.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const short = 'a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const ids = (more: Partial<SpanIds> = {}): SpanIds => ({
  ...{ traceId: trace, spanId: span, parentSpanId: null, sampled: true, state: null },
  ...more,
})

test('traceparent and tracestate are parsed by the W3C rules', () => {
  const read = (traceparent: string, tracestate?: string) =>
    spanOf({ traceparent, ...(tracestate !== undefined && { tracestate }) })
  assert.deepEqual(read(`00-${trace}-${span}-01`, 'a=1,b=2'), ids({ state: 'a=1,b=2' }))
  assert.deepEqual(read(`00-${trace}-${span}-00`), ids({ sampled: false }))
  assert.deepEqual(read(`cc-${trace}-${span}-03-more`), ids())
  assert.deepEqual(read(`00-${trace}-${span}-01`, 'x'.repeat(513)), ids())
  for (const bad of [
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}`,
    '',
    'x'.repeat(10_000),
  ]) {
    assert.equal(read(bad), null, bad)
  }
})

test('B3 is parsed in both of its forms', () => {
  const several = (more: Record<string, string>) => spanOf({ 'x-b3-traceid': short, 'x-b3-spanid': span, ...more })
  const padded = short.padStart(32, '0')
  assert.deepEqual(several({}), ids({ traceId: padded, sampled: null }))
  assert.deepEqual(several({ 'x-b3-sampled': '1', 'x-b3-parentspanid': span }), ids({ traceId: padded }))
  assert.deepEqual(several({ 'x-b3-sampled': '0' }), ids({ traceId: padded, sampled: false }))
  assert.deepEqual(several({ 'x-b3-sampled': '0', 'x-b3-flags': '1' }), ids({ traceId: padded }))
  assert.deepEqual(several({ 'x-b3-traceid': trace.toUpperCase() }), ids({ sampled: null }))
  assert.deepEqual(spanOf({ b3: `${trace}-${span}-1-05e3ac9a4f6e3b90` }), ids())
  for (const rest of ['', '-constructor']) {
    assert.deepEqual(spanOf({ b3: `${trace}-${span}${rest}` }), ids({ sampled: null }))
  }
  for (const bad of [{ 'x-b3-traceid': short }, { 'x-b3-spanid': span }, { b3: '0' }, { b3: `${trace}-1` }, {}]) {
    assert.equal(spanOf(bad), null)
  }
  assert.equal(several({ 'x-b3-traceid': 'constructor' }), null)
})

test('W3C takes precedence over B3 unless it is invalid', () => {
  const b3 = { 'x-b3-traceid': short, 'x-b3-spanid': span }
  assert.equal(spanOf({ ...b3, traceparent: `00-${trace}-${span}-01` })?.traceId, trace)
  assert.equal(spanOf({ ...b3, traceparent: 'nonsense' })?.traceId, short.padStart(32, '0'))
})

test('written headers can be read again', () => {
  assert.deepEqual(w3cHeaders(ids({ state: 'a=1' })), { traceparent: `00-${trace}-${span}-01`, tracestate: 'a=1' })
  assert.deepEqual(b3Headers(ids({ traceId: short.padStart(32, '0'), parentSpanId: short, sampled: null })), {
    'X-B3-TraceId': short,
    'X-B3-SpanId': span,
    'X-B3-ParentSpanId': short,
  })
  assert.deepEqual(b3Headers(ids({ sampled: false })), {
    'X-B3-TraceId': trace,
    'X-B3-SpanId': span,
    'X-B3-Sampled': '0',
  })
})

test('headers of another trace are replaced, in any case', () => {
  const headers = { Traceparent: 'a', tracestate: 'b', B3: 'c', 'X-B3-TraceId': 'd', 'x-b3-spanid': 'e', 'x-key': 'f' }
  assert.deepEqual(withoutTrace(headers), { 'x-key': 'f' })
})

test('a span stored for triggers is read back with all digits', () => {
  assert.equal(
    storedSpan(ids(), ids({ state: 'k="v"' }), '1.3'),
    `{"trace_id":${BigInt(`0x${short}`)},"span_id":${BigInt(`0x${span}`)},` +
      `"traceparent":"00-${trace}-${span}-01","tracestate":"k=\\"v\\""}`,
  )
  const hex = (length: number) =>
    fc.uint8Array({ minLength: length / 2, maxLength: length / 2 }).map((bytes) => {
      const digits = Buffer.from(bytes).toString('hex')
      return /^0+$/.test(digits) ? digits.replace(/.$/, '1') : digits
    })
  const property = fc.property(hex(16), hex(16), hex(32), fc.boolean(), (lower, spanId, traceId, sampled) => {
    const own = ids({ traceId: lower.padStart(32, '0'), spanId, sampled: null })
    const foreign = ids({ traceId, spanId, sampled, state: 'a=1,b="2"' })
    for (const form of ['1.3', '2'] as const) {
      assert.deepEqual(readStoredSpan(storedSpan(own, null, form)), own)
      assert.deepEqual(readStoredSpan(storedSpan(own, foreign, form)), foreign)
    }
    const later = ids({ traceId, spanId, sampled })
    assert.deepEqual(readStoredSpan(storedSpan(later, null, '2')), later)
    // As `jsonb` prints it.
    const spaced = storedSpan(own, foreign, '1.3').replaceAll('":', '": ').replaceAll(',"', ', "')
    assert.deepEqual(readStoredSpan(spaced), foreign)
  })
  fc.assert(property)
  for (const name of [trace, '4bf92f3577b34da6']) {
    const asOfV2 = JSON.stringify({ trace_id: name, span_id: span })
    assert.deepEqual(readStoredSpan(asOfV2), ids({ traceId: name.padStart(32, '0'), sampled: null }))
  }
  for (const nothing of [
    'null',
    '{}',
    '',
    '{"trace_id": 1}',
    '{"traceparent": "x"}',
    '{"trace_id": "4bf9", "span_id": "1"}',
  ]) {
    assert.equal(readStoredSpan(nothing), null)
  }
})
