// How far V8's young generation may grow. V8 sizes it by what survives, up to twice 64 MB, and takes most of it back when there
// is little work for a while; a server gains little beyond twice 16 MB. The size can only be chosen before V8 starts, but how
// fast it grows can be set at any time.

import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes of both halves. */
const enough = 2 * 16 * 1024 * 1024

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? enough

const growBy = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Keeps the young generation as it is: what is loaded at start lives on, and would make it grow for nothing. */
export const holdYoungGeneration = (): void => growBy(1)

/** Lets it grow as requests need it, as long as it is not large enough. */
export function growYoungGeneration(): void {
  let isGrowing = true
  growBy(2)
  const watch = new PerformanceObserver(() => {
    const isSmall = youngBytes() < enough
    if (isSmall === isGrowing) return
    isGrowing = isSmall
    growBy(isSmall ? 2 : 1)
  })
  watch.observe({ entryTypes: ['gc'] })
}
