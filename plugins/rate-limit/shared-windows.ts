// The windows of several workers: each tells the others of the requests that it has permitted, so that a client has one limit,
// whichever workers its connections reach.

import type { Engine } from '../../sdk/index.ts'
import { tellMillis, workerTimeout } from './tuning.ts'
import { SlidingWindows } from './windows.ts'

/** The part of windows that the limits use. */
export type Windows = Pick<SlidingWindows, 'waitFor' | 'add'>

/** Requests by client. */
type Counted = readonly (readonly [client: string, weight: number])[]

/** Windows that count the requests of all workers. A count reaches the others within some milliseconds, so a burst may exceed its limit by as much. */
export function windowsOf(workers: Engine['workers']): Windows {
  const windows = new SlidingWindows()
  if (workers.count === 1) return windows
  workers.answer('counted', (counted) => {
    for (const [client, weight] of counted as Counted) windows.add(client, weight)
  })
  let untold = new Map<string, number>()
  const tell = () => {
    void workers.ask('counted', [...untold] satisfies Counted, workerTimeout)
    untold = new Map()
  }
  return {
    waitFor: (client, limit, weight) => windows.waitFor(client, limit, weight),
    add(client, weight) {
      windows.add(client, weight)
      if (untold.size === 0) setTimeout(tell, tellMillis).unref()
      untold.set(client, (untold.get(client) ?? 0) + weight)
    },
  }
}
