// The measures that other plugins declare.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { messageWithCause, TrellisError } from '../../sdk/index.ts'
import type { Measure, Observer, ReadMeasure } from '../../sdk/services.ts'
import { timelyRead } from './reading.ts'

export interface DeclaredOptions {
  readonly prefix: string
  readonly measures: readonly Measure[]
  readonly observe: Observer
}

/** Makes metrics of the measures. */
export function createDeclared(registry: Registry, { prefix, measures, observe }: DeclaredOptions): void {
  for (const measure of measures) {
    const { help, labels = [] } = measure
    const described = { name: prefix + measure.name, help, labelNames: [...labels], registers: [registry] }
    if (measure.kind === 'histogram') {
      const histogram = new Histogram({ ...described, buckets: [...measure.buckets] })
      measure.observeBy((value, values = {}) => histogram.observe({ ...values }, value))
      continue
    }
    const reading: Reading = { measure, read: timelyRead(measure), observe }
    if (measure.kind === 'counter') {
      new Counter({
        ...described,
        collect() {
          return readInto(reading, { metric: this, add: (values, value) => this.inc(values, value) })
        },
      })
    } else {
      new Gauge({
        ...described,
        collect() {
          return readInto(reading, { metric: this, add: (values, value) => this.set(values, value) })
        },
      })
    }
  }
}

/** How a measure is read, and who is told when it cannot be. */
interface Reading {
  readonly measure: ReadMeasure
  readonly read: ReturnType<typeof timelyRead>
  readonly observe: Observer
}

/** Takes the numbers of a metric. */
interface Sink {
  readonly metric: Pick<Counter | Gauge, 'reset' | 'remove'>
  add(labels: Record<string, string>, value: number): void
}

/** Reads a measure; one that cannot be read, because its database is away or its plugin is wrong, must not hide the others. */
async function readInto({ measure, read, observe }: Reading, sink: Sink): Promise<void> {
  try {
    const numbers = await read()
    forget(measure, sink)
    for (const { labels = {}, value } of numbers ?? []) sink.add({ ...labels }, value)
  } catch (error) {
    forget(measure, sink)
    // That the database is away is told by those who need it for more.
    if (error instanceof TrellisError) return
    const detail = `the measure "${measure.name}" cannot be read: ${messageWithCause(error)}`
    observe.log({ type: 'unstructured', level: 'error', detail })
  }
}

/** Takes the numbers back; the only one of a metric without labels would become 0 otherwise. */
function forget({ labels = [] }: ReadMeasure, { metric }: Sink): void {
  metric.reset()
  if (labels.length === 0) metric.remove()
}
