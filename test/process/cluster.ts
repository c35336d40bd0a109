// A separate PostgreSQL for tests of its loss: it is really stopped, and started again at the same place.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { silentObserver } from '../../core/log/observe.ts'
import { EmbeddedPostgres, type StopMode } from '../../process/embedded/embedded.ts'
import { atEnd } from '../support/cleanup.ts'
import { temporaryDirectory } from '../support/process.ts'

export interface Cluster {
  /** Over TCP; the same after each start. */
  readonly url: string
  start(): Promise<void>
  stop(mode: StopMode): Promise<void>
}

/** Starts a PostgreSQL that ends with the test. */
export async function startCluster(t: TestContext): Promise<Cluster> {
  const directory = temporaryDirectory(t)
  let running: EmbeddedPostgres | null = null
  const start = async () => {
    running = new EmbeddedPostgres({ directory, connections: 0, observe: silentObserver })
    await running.start()
  }
  const stop = async (mode: StopMode) => {
    await running?.stop(mode)
    running = null
  }
  atEnd(t, () => stop('immediate'))
  await start()
  return { url: readFileSync(join(directory, 'database-url'), 'utf8').trim(), start, stop }
}
