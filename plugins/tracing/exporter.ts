// Sets up OpenTelemetry's SDK by its standard variables.

import { type DiagLogger, DiagLogLevel, diag, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { environment, version } from '../../sdk/index.ts'
import type { Observer } from '../../sdk/services.ts'
import { batchingOf, protocolOf, type Sampling, samplingOf } from './environment.ts'
import { maxValue } from './tuning.ts'

export interface Exporter {
  readonly tracer: Tracer
  /** Sends the recorded spans and stops. */
  close(): Promise<void>
}

/** Starts recording spans for the collector of the environment. Throws a StartError if a variable is invalid. */
export function startExporter(observe: Observer): Exporter {
  const isJson = protocolOf(environment) === 'http/json'
  return startProvider(observe, { exporter: isJson ? new JsonExporter() : new ProtobufExporter() })
}

/** The destination of spans, and the properties of the sender in addition to those of the environment. */
export interface Destination {
  readonly exporter: SpanExporter
  readonly attributes?: Readonly<Record<string, string>>
  /** Spans in a batch; absent: as the environment says. */
  readonly batchSize?: number | null
}

/** Starts recording spans for a destination. */
export function startProvider(observe: Observer, { exporter, attributes = {}, batchSize }: Destination): Exporter {
  const problems = problemLog(observe)
  diag.setLogger(problems, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const standard = resourceFromAttributes({ 'service.name': 'trellis', 'service.version': version })
  const given = resourceFromAttributes(attributes)
  const batching = batchingOf(environment)
  const maxExportBatchSize = Math.min(batchSize ?? batching.maxExportBatchSize, batching.maxQueueSize)
  const provider = new TracerProvider({
    // Environment variables take precedence over standards, and metadata over both.
    resource: standard.merge(detectResources({ detectors: [envDetector] })).merge(given),
    sampler: samplerOf(samplingOf(environment)),
    spanLimits: { attributeValueLengthLimit: maxValue },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batching, maxExportBatchSize })],
  })
  return {
    tracer: provider.getTracer('trellis', version),
    close: () => provider.shutdown().catch((error: Error) => problems.warn(`spans are lost: ${error.message}`)),
  }
}

function samplerOf({ ratio, followsParent }: Sampling): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio)
  return followsParent ? new ParentBasedSampler({ root }) : root
}

/** Writes the SDK's warnings to the log, for example that the collector does not answer. */
function problemLog(observe: Observer): DiagLogger {
  const log = (level: 'warn' | 'error') => (message: string) =>
    observe.log({ type: 'unstructured', level, detail: `tracing: ${message}` })
  const silent = () => {}
  return { error: log('error'), warn: log('warn'), info: silent, debug: silent, verbose: silent }
}
