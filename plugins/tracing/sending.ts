// Sends spans to the collector of the metadata. Its address is metadata, so that the policy of reachable addresses holds.

import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { type Outgoing, OutgoingError } from '../../sdk/services.ts'
import type { SpanStorage } from './context.ts'
import type { Collector } from './metadata.ts'
import { mostAnswer, sendTimeout } from './tuning.ts'

const forms = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, contentType: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, contentType: 'application/json' },
} as const

/** The codes of OpenTelemetry for the result of an export. */
const [succeeded, failed] = [0, 1]

/** Messages about requests name their URL, which may hold a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof OutgoingError) return `the collector of the metadata cannot be reached: ${error.reason}`
  return error instanceof Error ? error.message : 'the spans could not be sent'
}

/** An exporter to the collector. Its own requests are not recorded. */
export function sendingExporter(
  { url, protocol, headers }: Collector,
  outgoing: Outgoing,
  storage: SpanStorage,
): SpanExporter {
  const { serializer, contentType } = forms[protocol]
  const send = async (spans: Parameters<SpanExporter['export']>[0]) => {
    const body = serializer.serializeRequest(spans)
    if (!body) return
    const request = {
      method: 'POST',
      url,
      headers,
      contentType,
      body: Buffer.from(body),
      timeout: sendTimeout,
    } as const
    const { status } = await storage.silently(() =>
      outgoing.send({ ...request, maxResponseSize: mostAnswer, cutsResponse: true }),
    )
    if (status >= 400) throw new Error(`the collector of the metadata answered with status ${status}`)
  }
  return {
    export(spans, done) {
      send(spans).then(
        () => done({ code: succeeded }),
        (error: unknown) => done({ code: failed, error: new Error(reasonOf(error)) }),
      )
    },
    shutdown: () => Promise.resolve(),
  }
}
