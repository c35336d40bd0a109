// The variables that OpenTelemetry defines for all programs: https://opentelemetry.io/docs/specs/otel/configuration/
// Those that its exporter reads itself (endpoints, headers, timeouts, certificates) are not repeated here.

import { StartError } from '../../sdk/index.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** An empty variable counts as absent. */
const textOf = (variables: Variables, name: string): string | undefined => variables[name]?.trim() || undefined

/** Whether the operator has turned recording off, whatever the metadata say. */
export const isDisabled = (variables: Variables): boolean =>
  textOf(variables, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true'

/** Whether to record spans: if a collector or the exporter `otlp` is configured. */
export function exportIsConfigured(variables: Variables): boolean {
  if (isDisabled(variables)) return false
  const exporter = textOf(variables, 'OTEL_TRACES_EXPORTER')
  if (exporter !== undefined) return oneOf('OTEL_TRACES_EXPORTER', exporter, ['otlp', 'none']) === 'otlp'
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
  return endpoints.some((name) => textOf(variables, name) !== undefined)
}

const protocols = ['http/protobuf', 'http/json'] as const

export type Protocol = (typeof protocols)[number]

/** The protocol of the collector. */
export function protocolOf(variables: Variables): Protocol {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((candidate) => textOf(variables, candidate) !== undefined)
  return name === undefined ? 'http/protobuf' : oneOf(name, textOf(variables, name)!, protocols)
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The sampling of traces. */
export interface Sampling {
  /** The recorded share of traces that begin here. */
  readonly ratio: number
  /** Whether the client decides about its own traces. */
  readonly followsParent: boolean
}

export function samplingOf(variables: Variables): Sampling {
  const name = 'OTEL_TRACES_SAMPLER'
  const sampler = oneOf(name, textOf(variables, name) ?? 'parentbased_always_on', samplers)
  const kind = sampler.replace('parentbased_', '')
  const ratio = kind === 'always_on' ? 1 : kind === 'always_off' ? 0 : ratioOf(variables)
  return { ratio, followsParent: kind !== sampler }
}

function ratioOf(variables: Variables): number {
  const name = 'OTEL_TRACES_SAMPLER_ARG'
  const ratio = Number(textOf(variables, name) ?? 1)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new StartError(`${name}: Only expecting a number from 0 to 1`)
}

/** The settings of batches: milliseconds, and numbers of spans. */
export const batchingOf = (variables: Variables) => ({
  scheduledDelayMillis: wholeOf(variables, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
  exportTimeoutMillis: wholeOf(variables, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  maxQueueSize: wholeOf(variables, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048),
  maxExportBatchSize: wholeOf(variables, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
})

function wholeOf(variables: Variables, name: string, standard: number): number {
  const text = textOf(variables, name)
  if (text === undefined) return standard
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new StartError(`${name}: Only expecting a whole number above 0`)
}

function oneOf<const W extends string>(name: string, value: string, words: readonly W[]): W {
  const found = words.find((word) => word === value.toLowerCase())
  if (found !== undefined) return found
  throw new StartError(`${name}: Only expecting ${words.join(' / ')}`)
}
