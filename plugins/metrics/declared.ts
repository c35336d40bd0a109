// Exports the measures that other plugins declare.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { messageWithCause, TrellisError } from '../../sdk/index.ts'
import type { Measure, Observer, ReadMeasure } from '../../sdk/services.ts'
import { timelyRead } from './reading.ts'

export interface DeclaredOptions {
  readonly prefix: string
  readonly measures: readonly Measure[]
  readonly observe: Observer
}

/** Creates a metric for each measure. */
export function createDeclared(registry: Registry, { prefix, measures, observe }: DeclaredOptions): void {
  for (const measure of measures) {
    const { help, labels = [], isShared = false } = measure
    const described = {
      ...{ name: prefix + measure.name, help, labelNames: [...labels], registers: [registry] },
      aggregator: isShared ? 'max' : 'sum',
    } as const
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

/** A measure with its reader, and the log for its errors. */
interface Reading {
  readonly measure: ReadMeasure
  readonly read: ReturnType<typeof timelyRead>
  readonly observe: Observer
}

/** Receives the numbers of a metric. */
interface Sink {
  readonly metric: Pick<Counter | Gauge, 'reset' | 'remove'>
  add(labels: Record<string, string>, value: number): void
}

/** Reads a measure. A failure, for example of the database connection, must not hide the other metrics. */
async function readInto({ measure, read, observe }: Reading, sink: Sink): Promise<void> {
  try {
    const numbers = await read()
    forget(measure, sink)
    for (const { labels = {}, value } of numbers ?? []) sink.add({ ...labels }, value)
  } catch (error) {
    forget(measure, sink)
    // The log has other entries for a database that cannot be reached.
    if (error instanceof TrellisError) return
    const detail = `the measure "${measure.name}" cannot be read: ${messageWithCause(error)}`
    observe.log({ type: 'unstructured', level: 'error', detail })
  }
}

/** Clears the numbers. `remove` is needed because `reset` sets a metric without labels to 0. */
function forget({ labels = [] }: ReadMeasure, { metric }: Sink): void {
  metric.reset()
  if (labels.length === 0) metric.remove()
}
