// Numbers of the running server, in the form of `ekg`: nested objects whose leaves name their kind of number.

import type { Engine } from '../../sdk/index.ts'
import type { Measure } from '../../sdk/services.ts'

/** A counter only grows; a gauge has the current value. */
const counter = (val: number) => ({ type: 'c', val: Math.round(val) })
const gauge = (val: number) => ({ type: 'g', val: Math.round(val) })

const gaugesOf = (numbers: object) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, gauge(value as number)]))

/** The gauges of plugins that cost nothing: those that have one number and are read at once. */
const pluginGauges = (measures: readonly Measure[]) =>
  Object.fromEntries(
    measures.flatMap((each) => {
      if (each.kind !== 'gauge' || each.isShared || (each.labels ?? []).length > 0) return []
      const read = each.read()
      return Array.isArray(read) && read.length === 1 ? [[each.name, gauge(read[0].value)] as const] : []
    }),
  )

/** All numbers as they are now; times in milliseconds, sizes in bytes. */
export function measure({ database, graphql, model, measures }: Engine) {
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
    plugins: pluginGauges(measures.all()),
    metadata: {
      resource_version: counter(Math.max(0, model.resourceVersion)),
      tables: gauge(model.tables.size),
      inconsistent_objects: gauge(model.inconsistencies.length),
    },
  }
}

/** The numbers of all workers: processes, connections and plans are added up, the metadata is the same in each. */
export function summed(own: Numbers, others: readonly Numbers[]): Numbers {
  if (others.length === 0) return own
  const sum = <T extends object>(pick: (numbers: Numbers) => T): T => addedUp([own, ...others].map(pick)) as T
  const process = { ...sum((each) => each.process), uptime_ms: own.process.uptime_ms }
  return {
    ...{ ...own, process, database: sum((each) => each.database), graphql: sum((each) => each.graphql) },
    plugins: sum((each) => each.plugins),
  }
}

type Numbers = ReturnType<typeof measure>

/** Adds up the leaves of objects of one form. */
function addedUp(all: readonly object[]): object {
  const [first = {}] = all
  if ('val' in first) return { ...first, val: all.reduce((sum, each) => sum + (each as { val: number }).val, 0) }
  const keys = Object.keys(first) as never[]
  return Object.fromEntries(keys.map((key) => [key, addedUp(all.map((each) => each[key]))]))
}
