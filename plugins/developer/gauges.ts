// Numbers of the running server, in the form of `ekg`: nested objects whose leaves name their kind of number.

import type { Engine } from '../../sdk/index.ts'

/** A counter only grows; a gauge has the current value. */
const counter = (val: number) => ({ type: 'c', val: Math.round(val) })
const gauge = (val: number) => ({ type: 'g', val: Math.round(val) })

const gaugesOf = (numbers: object) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, gauge(value as number)]))

/** All numbers as they are now; times in milliseconds, sizes in bytes. */
export function measure({ database, graphql, model }: Engine) {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const { reused, made } = graphql.plans
  return {
    ekg: { server_timestamp_ms: counter(Date.now()) },
    process: {
      uptime_ms: counter(process.uptime() * 1000),
      cpu: { user_ms: counter(user / 1000), system_ms: counter(system / 1000) },
      memory: gaugesOf({ rss, heap_used: heapUsed, heap_total: heapTotal, external }),
    },
    database: gaugesOf(database.connections),
    graphql: {
      plans: { reused: counter(reused), made: counter(made) },
      cached_operations: gauge(graphql.cached().length),
    },
    metadata: {
      resource_version: counter(Math.max(0, model.resourceVersion)),
      tables: gauge(model.tables.size),
      inconsistent_objects: gauge(model.inconsistencies.length),
    },
  }
}
