// OpenTelemetry in the metadata: the slice `opentelemetry`, and the operations that set it.

import { type Dialect, TrellisError } from '../../sdk/index.ts'
import { type ObjectDescription, operation, type SliceContext, type SliceDefinition } from '../../sdk/metadata.ts'
import { configuredHeaders, configuredUrl, saysNothing } from '../../sdk/services.ts'
import { type OpenTelemetry, openTelemetrySchema, Status } from './schema.ts'

/** A collector of spans. */
export interface Collector {
  readonly url: string
  readonly protocol: 'http/protobuf' | 'http/json'
  readonly headers: Readonly<Record<string, string>>
  readonly attributes: Readonly<Record<string, string>>
  readonly batchSize: number | null
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    opentelemetry: OpenTelemetry
  }
  interface ModelSlices {
    /** Null: the metadata names no collector. */
    opentelemetry: Collector | null
  }
}

const kind = 'opentelemetry'
const ref = { kind, name: kind }

/** Without traces, nobody gets access to anything. */
const described = (definition: OpenTelemetry): ObjectDescription => ({ ref, type: kind, definition, isTolerated: true })

type OpenTelemetrySlice = SliceDefinition<'opentelemetry', ReturnType<typeof openTelemetrySchema>>

/** The slice `opentelemetry`. */
export const openTelemetrySlice = (dialect: Dialect): OpenTelemetrySlice => ({
  schema: openTelemetrySchema(dialect),
  empty: {},
  write: (given) => (saysNothing(given) ? undefined : given),
  resolve(given, context) {
    const { status, data_types: types = [] } = given
    if (status !== 'enabled') return null
    const unserved = types.filter((type) => type !== 'traces')
    if (unserved.length > 0) {
      const list = unserved.map((type) => `"${type}"`).join(', ')
      context.report(described(given), `${list} in "data_types" of "opentelemetry": only "traces" are served`)
    }
    return types.includes('traces') ? collectorOf(given, context) : null
  },
  remove(draft, object) {
    if (object.kind !== kind || saysNothing(draft.opentelemetry)) return false
    draft.opentelemetry = {}
    return true
  },
})

function collectorOf(given: OpenTelemetry, context: SliceContext): Collector | null {
  const { exporter_otlp: exporter, batch_span_processor: batches } = given
  const { otlp_traces_endpoint: endpoint, protocol = 'http/protobuf', headers = [] } = exporter ?? {}
  if (endpoint === undefined) {
    context.report(described(given), 'no "otlp_traces_endpoint" is given for traces')
    return null
  }
  const environment = (name: string) => context.environment(name)
  try {
    return {
      url: configuredUrl(endpoint, environment),
      protocol,
      headers: configuredHeaders(headers, environment),
      attributes: Object.fromEntries((exporter?.resource_attributes ?? []).map(({ name, value }) => [name, value])),
      batchSize: batches?.max_export_batch_size ?? null,
    }
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    context.report(described(given), error.message)
    return null
  }
}

/** `set_opentelemetry_config`. */
export const setOpenTelemetryConfig = (dialect: Dialect) =>
  operation({
    type: 'set_opentelemetry_config',
    about: { summary: 'Sets the collector of spans.' },
    args: openTelemetrySchema(dialect),
    check: 'object',
    object: () => ref,
    handle({ metadata }, given) {
      metadata.opentelemetry = given
    },
  })

/** `set_opentelemetry_status`. */
export const setOpenTelemetryStatus = operation({
  type: 'set_opentelemetry_status',
  about: { summary: 'Starts or ends the recording of spans for the collector of the metadata.' },
  args: Status,
  check: 'object',
  object: () => ref,
  handle({ metadata }, status) {
    metadata.opentelemetry = { ...metadata.opentelemetry, status }
  },
})
