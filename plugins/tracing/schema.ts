// The configuration of OpenTelemetry in metadata.

import { type Dialect, Type } from '../../sdk/index.ts'
import { type ConfiguredHeader, type ConfiguredUrl, configuredHeader, urlSchema } from '../../sdk/metadata.ts'
import { mostSpans } from './tuning.ts'

/** The configuration in documents and arguments. */
export interface OpenTelemetry {
  status?: 'enabled' | 'disabled'
  data_types?: ('traces' | 'metrics' | 'logs')[]
  exporter_otlp?: {
    otlp_traces_endpoint?: ConfiguredUrl
    otlp_metrics_endpoint?: ConfiguredUrl
    otlp_logs_endpoint?: ConfiguredUrl
    protocol?: 'http/protobuf' | 'http/json'
    traces_propagators?: ('tracecontext' | 'b3')[]
    headers?: ConfiguredHeader[]
    resource_attributes?: { name: string; value: string }[]
  }
  batch_span_processor?: { max_export_batch_size?: number }
}

const closed = { additionalProperties: false }

const oneOf = <const T extends readonly string[]>(...words: T) => Type.Union(words.map((word) => Type.Literal(word)))

/** Whether spans are recorded by the configuration. */
export const Status = Type.Unsafe<'enabled' | 'disabled'>(oneOf('enabled', 'disabled'))

/** The shape of the configuration. */
export const openTelemetrySchema = (dialect: Dialect) => {
  const endpoint = Type.Optional(urlSchema('http://localhost:4318/v1/traces'))
  const attribute = Type.Object({ name: Type.String(), value: Type.String() }, closed)
  const exporter = Type.Object(
    {
      headers: Type.Optional(Type.Array(configuredHeader(dialect))),
      ...{ otlp_logs_endpoint: endpoint, otlp_metrics_endpoint: endpoint, otlp_traces_endpoint: endpoint },
      protocol: Type.Optional(oneOf('http/protobuf', 'http/json')),
      resource_attributes: Type.Optional(Type.Array(attribute)),
      traces_propagators: Type.Optional(Type.Array(oneOf('tracecontext', 'b3'))),
    },
    closed,
  )
  const batches = { max_export_batch_size: Type.Optional(Type.Integer({ minimum: 1, maximum: mostSpans })) }
  return Type.Unsafe<OpenTelemetry>(
    Type.Object(
      {
        status: Type.Optional(Status),
        data_types: Type.Optional(Type.Array(oneOf('traces', 'metrics', 'logs'))),
        exporter_otlp: Type.Optional(exporter),
        batch_span_processor: Type.Optional(Type.Object(batches, closed)),
      },
      closed,
    ),
  )
}
