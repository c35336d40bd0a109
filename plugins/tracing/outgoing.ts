// What requests to other servers tell of the trace that they belong to.

import type { OutgoingRequest, Surroundings } from '../../sdk/services.ts'
import { type CurrentSpan, type SpanStorage, UnrecordedSpan } from './context.ts'
import { childOf, type SpanIds } from './ids.ts'
import { b3Headers, w3cHeaders, withoutTrace } from './propagation.ts'
import { readStoredSpan } from './stored.ts'

/** The request with the headers of the span that it is sent in; `recorded`: the one that W3C's headers name. */
export function inSpan(request: OutgoingRequest, span: SpanIds, recorded: SpanIds | null): OutgoingRequest {
  const headers = {
    ...withoutTrace(request.headers ?? {}),
    ...b3Headers(span),
    ...(recorded && w3cHeaders(recorded)),
  }
  return { ...request, headers }
}

/** Tells of spans that are not recorded here. */
export const unrecordedOutgoing = (storage: SpanStorage): Pick<Surroundings, 'outgoing'> => ({
  outgoing(request, send) {
    const span = spanAround(request, storage)
    return send(inSpan(request, childOf(span.ids), span.recorded))
  },
})

function spanAround({ trace }: OutgoingRequest, storage: SpanStorage): CurrentSpan {
  if (trace !== undefined) return new UnrecordedSpan(() => readStoredSpan(trace))
  return storage.current ?? new UnrecordedSpan(() => null)
}
