// The measures that other plugins declare.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Measure, ReadMeasure } from '../../sdk/services.ts'

/** Makes metrics of the measures. */
export function createDeclared(registry: Registry, prefix: string, measures: readonly Measure[]): void {
  for (const measure of measures) {
    const { help, labels = [] } = measure
    const described = { name: prefix + measure.name, help, labelNames: [...labels], registers: [registry] }
    if (measure.kind === 'histogram') {
      const histogram = new Histogram({ ...described, buckets: [...measure.buckets] })
      measure.observeBy((value, values = {}) => histogram.observe({ ...values }, value))
    } else if (measure.kind === 'counter') {
      new Counter({
        ...described,
        async collect() {
          await readInto(measure, { reset: () => this.reset(), add: (values, value) => this.inc(values, value) })
        },
      })
    } else {
      new Gauge({
        ...described,
        async collect() {
          await readInto(measure, { reset: () => this.reset(), add: (values, value) => this.set(values, value) })
        },
      })
    }
  }
}

/** Takes the numbers of a metric. */
interface Sink {
  reset(): void
  add(labels: Record<string, string>, value: number): void
}

/** Reads a measure; one that cannot be read, because its database is away, must not hide the others. */
async function readInto(measure: ReadMeasure, sink: Sink): Promise<void> {
  const numbers = await Promise.resolve(measure.read()).catch(() => [])
  sink.reset()
  for (const { labels = {}, value } of numbers) sink.add({ ...labels }, value)
}
