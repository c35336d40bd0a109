// Adds the trace headers to requests to other servers.

import type { OutgoingRequest, Surroundings } from '../../sdk/services.ts'
import { type CurrentSpan, type SpanStorage, UnrecordedSpan } from './context.ts'
import { childOf, type SpanIds } from './ids.ts'
import { b3Headers, w3cHeaders, withoutTrace } from './propagation.ts'
import { readStoredSpan } from './stored.ts'

/** The request with the headers of its span; `recorded` is the span for W3C headers. */
export function inSpan(request: OutgoingRequest, span: SpanIds, recorded: SpanIds | null): OutgoingRequest {
  const headers = {
    ...withoutTrace(request.headers ?? {}),
    ...b3Headers(span),
    ...(recorded && w3cHeaders(recorded)),
  }
  return { ...request, headers }
}

/** Propagates spans that are not recorded here. */
export const unrecordedOutgoing = (storage: SpanStorage): Required<Pick<Surroundings, 'outgoing'>> => ({
  outgoing(request, send) {
    const span = spanAround(request, storage)
    return send(inSpan(request, childOf(span.ids), span.recorded))
  },
})

function spanAround({ trace }: OutgoingRequest, storage: SpanStorage): CurrentSpan {
  if (trace !== undefined) return new UnrecordedSpan(() => readStoredSpan(trace))
  return storage.current ?? new UnrecordedSpan(() => null)
}
