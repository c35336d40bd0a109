// How far V8's young generation may grow. V8 sizes it by what survives, up to twice 64 MB, and never shrinks it while there is
// work; a server gains nothing beyond twice 16 MB. The size can only be chosen before V8 starts, but how fast it grows can be
// set at any time.

import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes of both halves. */
const enough = 2 * 16 * 1024 * 1024

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? enough

/** Keeps the young generation as it is: what is loaded at start lives on, and would make it grow for nothing. */
export const holdYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1')

/** Lets it grow as requests need it, until it is large enough. */
export function growYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  const watch = new PerformanceObserver(() => {
    if (youngBytes() < enough) return
    holdYoungGeneration()
    watch.disconnect()
  })
  watch.observe({ entryTypes: ['gc'] })
}
