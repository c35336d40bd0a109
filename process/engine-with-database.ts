// An engine inside another program, with the embedded PostgreSQL if no database is named.

import { join, resolve } from 'node:path'
import { createEngine, type EngineOptions, type RunningEngine } from '../core/engine/engine.ts'
import { pluginsNamedIn, readSettings } from '../core/engine/plugin-options.ts'
import { findPlugins } from '../core/engine/plugins.ts'
import { createObserver } from '../core/log/observe.ts'
import { refusedOption } from '../core/options/option-values.ts'
import { EmbeddedPostgres } from './embedded/embedded.ts'
import { watchOver } from './embedded/watch.ts'

/** Builds an engine; without a database URL it runs the embedded PostgreSQL of its data directory until closed. */
export async function createEngineWithDatabase(options: EngineOptions): Promise<RunningEngine> {
  const plugins = await findPlugins(options.plugins, pluginsNamedIn(options.settings))
  // Refuse bad settings before creating a database.
  const { core: settings } = readSettings(options.settings, plugins)
  if (settings.config !== null) {
    throw refusedOption(
      'Setting config',
      'an embedded engine reads no configuration file: pass its options as settings',
    )
  }
  if (settings.workers !== '1') throw refusedOption('Setting workers', 'an embedded engine is one process')
  const { observe = createObserver(settings) } = options
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
    const served = { ...options.settings, databaseUrl: embedded.url }
    const engine = await createEngine({ ...options, observe, settings: served })
    let closed: Promise<void> | undefined
    // The same engine, except that `close` also stops the database.
    return Object.create(engine, { close: { value: () => (closed ??= engine.close().finally(stop)) } })
  } catch (error) {
    await stop()
    throw error
  }
}
