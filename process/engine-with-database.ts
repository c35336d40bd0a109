// An engine in somebody's program, over the embedded PostgreSQL when no database is named.

import { join, resolve } from 'node:path'
import { createEngine, type EngineOptions, type RunningEngine } from '../core/engine/engine.ts'
import { createObserver } from '../core/log/observe.ts'
import { EmbeddedPostgres } from './embedded/embedded.ts'
import { watchOver } from './embedded/watch.ts'

/** Builds an engine; one without a URL of a database has the embedded PostgreSQL of its data directory until it is closed. */
export async function createEngineWithDatabase(options: EngineOptions): Promise<RunningEngine> {
  const { settings, observe = createObserver(settings) } = options
  if (settings.databaseUrl !== null) return createEngine({ ...options, observe })
  const { dataDir: directory, connections, stripes } = settings
  const embedded = new EmbeddedPostgres({ directory, connections: connections * stripes, observe })
  await embedded.start()
  const unwatch = watchOver({ cluster: join(resolve(directory), 'postgres'), signal: 'INT' })
  const stop = async () => {
    await embedded.stop()
    unwatch()
  }
  try {
    const engine = await createEngine({ ...options, observe, settings: { ...settings, databaseUrl: embedded.url } })
    let closed: Promise<void> | undefined
    // The engine in all but its end.
    return Object.create(engine, { close: { value: () => (closed ??= engine.close().finally(stop)) } })
  } catch (error) {
    await stop()
    throw error
  }
}
