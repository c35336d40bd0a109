// Sets up OpenTelemetry's SDK by its standard variables.

import { type DiagLogger, DiagLogLevel, diag, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
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

/** Starts recording spans. Throws a StartError if a variable is invalid. */
export function startExporter(observe: Observer): Exporter {
  const problems = problemLog(observe)
  diag.setLogger(problems, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const exporter = protocolOf(environment) === 'http/json' ? new JsonExporter() : new ProtobufExporter()
  const standard = resourceFromAttributes({ 'service.name': 'trellis', 'service.version': version })
  const provider = new TracerProvider({
    // Environment variables take precedence.
    resource: standard.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(samplingOf(environment)),
    spanLimits: { attributeValueLengthLimit: maxValue },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchingOf(environment) })],
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
