// The metrics of all workers together: any of them may be asked.

import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'
import type { Engine } from '../../sdk/index.ts'
import { workerTimeout } from './tuning.ts'

type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/**
 * The sums over all workers, or other aggregates that the metrics declare. A worker that does not answer in time is not
 * counted.
 */
export function metricsOfWorkers(registry: Registry, { workers, observe }: Pick<Engine, 'workers' | 'observe'>) {
  const { contentType } = registry
  if (workers.count === 1) return { contentType, text: () => registry.metrics() }
  workers.answer('metrics', () => registry.getMetricsAsJSON())
  return {
    contentType,
    async text() {
      const [own, { answers, missing }] = await Promise.all([
        registry.getMetricsAsJSON(),
        workers.ask('metrics', null, workerTimeout),
      ])
      if (missing.length > 0) {
        const detail = `the metrics lack those of worker ${missing.join(', ')}, which did not answer in time`
        observe.log({ type: 'unstructured', level: 'warn', detail })
      }
      return AggregatorRegistry.aggregate([own, ...(answers as Metrics[])]).metrics()
    },
  }
}
