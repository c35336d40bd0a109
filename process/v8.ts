// How V8 collects garbage and compiles, for a server instead of a page. Each setting must be made before the code runs that
// it concerns.

import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  callsForMaglev,
  callsForTurbofan,
  callsWithSameTypes,
  heapGrowingPercent,
  idleCheckMillis,
  largeHeap,
  largeHeapGrowingPercent,
  leastHeapGrowth,
  leastIdleGarbage,
  mostIdleUtilization,
  youngGenerationBytes,
} from './tuning.ts'

/**
 * Limits heap growth, buffers included, and turns off pretenuring. V8 by itself collects after each 64 MB of buffers: several
 * times during a large answer. If many objects of one allocation site survive, as at a start, V8 allocates all later ones in
 * the old space. There each keeps its whole request alive until a full collection, which doubles the work of a request.
 */
export function collectAsServer(): void {
  growHeapBy(heapGrowingPercent)
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--no-allocation-site-pretenuring')
}

const growHeapBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`)

/** How much a heap with so many living bytes may grow before the next full collection, in percent. */
export function heapGrowthFor(living: number): number {
  if (living >= largeHeap) return largeHeapGrowingPercent
  return Math.max(heapGrowingPercent, Math.ceil((leastHeapGrowth * 100) / living))
}

/**
 * Compiles code from now on sooner: V8 waits for hundreds or thousands of calls. Until then a server is several times slower
 * at its first request, and noticeably slower for its first 10,000. Code of the start mostly runs once and gains nothing.
 */
export function compileSooner(): void {
  setFlagsFromString(`--invocation-count-for-maglev=${callsForMaglev}`)
  setFlagsFromString(`--invocation-count-for-turbofan=${callsForTurbofan}`)
  setFlagsFromString(`--minimum-invocations-after-ic-update=${callsWithSameTypes}`)
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? youngGenerationBytes

const growBy = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Keeps the young generation small: modules loaded at the start stay alive, and would make it grow for nothing. */
export const holdYoungGeneration = (): void => growBy(1)

/**
 * Lets the heap grow with the requests. The young generation grows up to its useful size: V8 sizes it by the surviving
 * objects, and shrinks it when there is little work. Only the growth factor can be set after the start, not the size.
 */
export function growWithRequests(): void {
  let isGrowing = true
  growBy(2)
  growHeapBy(heapGrowthFor(getHeapStatistics().used_heap_size))
  const watch = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) growHeapBy(heapGrowthFor(getHeapStatistics().used_heap_size))
    const isSmall = youngBytes() < youngGenerationBytes
    if (isSmall === isGrowing) return
    isGrowing = isSmall
    growBy(isSmall ? 2 : 1)
  })
  watch.observe({ entryTypes: ['gc'] })
}

const isFullCollection = (entry: PerformanceEntry): boolean =>
  (entry as { detail?: NodeGCPerformanceDetail }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR

/**
 * Gives memory back after large requests, such as the introspection of a thousand tables. V8 by itself collects old objects
 * only when further requests need room. The collection takes some tenths of a second, so it waits until nobody else does.
 *
 * `afterwards` is called after each full collection, once the process is idle. It may do work again that the collection has
 * undone. Neither the garbage of this work nor a collection during it leads to another call.
 */
export function collectWhenIdle(afterwards: () => Promise<void>, everyMillis = idleCheckMillis): void {
  const collect = collector()
  let collected = 0
  let restored = 0
  const watch = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isFullCollection(entry)) collected = entry.startTime
  })
  watch.observe({ entryTypes: ['gc'] })
  let before = performance.eventLoopUtilization()
  // A large start leaves garbage, and V8 takes the room to grow from the last collection.
  let least = held() < largeHeap ? held() : 0
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    // It also falls with each full collection of V8.
    least = Math.min(least, held())
    if (utilization > mostIdleUtilization) return
    if (held() - least >= leastIdleGarbage) {
      collected = performance.now()
      collect({ type: 'major', flavor: 'last-resort' })
      least = held()
    }
    if (collected <= restored) return
    restored = performance.now()
    afterwards().finally(() => {
      least = held()
      restored = performance.now()
    })
  }
  setInterval(check, everyMillis).unref()
}

/** Bytes of objects and buffers. V8's own number of external bytes counts freed buffers until the next collection. */
function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** V8's function for full collections, which only new contexts get after the start. */
function collector(): (options: Readonly<Record<string, string>>) => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return collect
}
