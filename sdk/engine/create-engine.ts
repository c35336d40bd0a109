// The engine with the built-in plugins, for programs that run it.

import type { RunningEngine } from '../../core/engine/engine.ts'
import { coreOptions, defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import type { Plugin } from '../../core/engine/plugin.ts'
import { type LogReceiver, observerOf } from '../../core/log/observe.ts'
import { refusedOption } from '../../core/options/option-values.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { createEngineWithDatabase } from '../../process/engine-with-database.ts'

/** The options of `createEngine`. */
export interface EngineOptions {
  /**
   * Settings that differ from the defaults, including options of plugins. Environment variables are not read. Without
   * `databaseUrl`, the embedded PostgreSQL runs with its data in `dataDir`, by default `.trellis`.
   */
  readonly settings?: GivenSettings
  /** Added to the built-in ones and those of `settings.plugins`. */
  readonly plugins?: readonly Plugin[]
  /** Receives log entries, as a function or by its method `log`; by default they are written to stdout. */
  readonly observe?: LogReceiver
}

/**
 * Refuses settings outside of `settings`, which JavaScript allows. Ignoring a misplaced admin secret would leave the
 * server open.
 */
function refuseMisplaced(options: object): void {
  const misplaced = coreOptions.find(({ key }) => key !== 'plugins' && Object.hasOwn(options, key))
  if (misplaced) throw refusedOption(`Option ${misplaced.key}`, 'it belongs into settings')
}

/** Creates an engine with the built-in plugins. `listen` opens its port, `close` stops it. */
export async function createEngine(options: EngineOptions = {}): Promise<RunningEngine> {
  refuseMisplaced(options)
  const { plugins = [], observe } = options
  const settings = defaultSettings(options.settings)
  return createEngineWithDatabase({
    settings,
    plugins: [...builtInPlugins, ...plugins],
    ...(observe !== undefined && { observe: observerOf(observe, settings) }),
  })
}
