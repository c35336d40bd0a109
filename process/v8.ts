// How V8 collects garbage and compiles, for a server instead of a page. Each setting must be made before the code runs that
// it concerns.

import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import {
  callsForMaglev,
  callsForTurbofan,
  callsWithSameTypes,
  heapGrowingPercent,
  youngGenerationBytes,
} from './tuning.ts'

/**
 * Limits heap growth, and turns off pretenuring. If many objects of one allocation site survive, as at a start, V8 allocates
 * all later ones in the old space. There each keeps its whole request alive until a full collection, which doubles the work
 * of a request.
 */
export function collectAsServer(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
  setFlagsFromString('--no-allocation-site-pretenuring')
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
 * Lets the young generation grow with the requests up to its useful size. V8 sizes it by the surviving objects, and shrinks
 * it when there is little work. Only the growth factor can be set after the start, not the size.
 */
export function growYoungGeneration(): void {
  let isGrowing = true
  growBy(2)
  const watch = new PerformanceObserver(() => {
    const isSmall = youngBytes() < youngGenerationBytes
    if (isSmall === isGrowing) return
    isGrowing = isSmall
    growBy(isSmall ? 2 : 1)
  })
  watch.observe({ entryTypes: ['gc'] })
}
