// OpenTelemetry's SDK, set up by its standard variables.

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

/** Characters of an attribute's value that are kept. */
const maxValue = 256

export interface Exporter {
  readonly tracer: Tracer
  /** Sends what was recorded, and ends. */
  close(): Promise<void>
}

/** Records spans from now on. Throws a StartError when a variable cannot be used. */
export function startExporter(observe: Observer): Exporter {
  const problems = problemLog(observe)
  diag.setLogger(problems, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const exporter = protocolOf(environment) === 'http/json' ? new JsonExporter() : new ProtobufExporter()
  const standard = resourceFromAttributes({ 'service.name': 'trellis', 'service.version': version })
  const provider = new TracerProvider({
    // Variables of the process win.
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

/** The SDK's own complaints, such as a collector that does not answer, go to the log. */
function problemLog(observe: Observer): DiagLogger {
  const log = (level: 'warn' | 'error') => (message: string) =>
    observe.log({ type: 'unstructured', level, detail: `tracing: ${message}` })
  const silent = () => {}
  return { error: log('error'), warn: log('warn'), info: silent, debug: silent, verbose: silent }
}
