// The engine with the built-in plugins, for programs that run it.

import type { RunningEngine } from '../../core/engine/engine.ts'
import { coreOptions, defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import type { Plugin } from '../../core/engine/plugin.ts'
import type { Observer } from '../../core/log/observe.ts'
import { refusedOption } from '../../core/options/option-values.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { createEngineWithDatabase } from '../../process/engine-with-database.ts'

export interface EngineOptions {
  /**
   * What differs from the defaults, options of plugins among it; environment variables are not looked at. Without `databaseUrl` the embedded PostgreSQL
   * runs, with its data in `dataDir`, which is `.trellis`.
   */
  readonly settings?: GivenSettings
  /** Beside the built-in ones and those of `settings.plugins`. */
  readonly plugins?: readonly Plugin[]
  /** Takes the log; by default lines on stdout. */
  readonly observe?: Observer
}

/** Refuses what JavaScript may have put beside `settings`: an admin secret that is passed over would leave all open. */
function refuseMisplaced(options: object): void {
  const misplaced = coreOptions.find(({ key }) => key !== 'plugins' && Object.hasOwn(options, key))
  if (misplaced) throw refusedOption(`Option ${misplaced.key}`, 'it belongs into settings')
}

/** Builds an engine with the built-in plugins; `listen` opens its port, `close` ends it. */
export async function createEngine(options: EngineOptions = {}): Promise<RunningEngine> {
  refuseMisplaced(options)
  const { settings, plugins = [], observe } = options
  return createEngineWithDatabase({
    settings: defaultSettings(settings),
    plugins: [...builtInPlugins, ...plugins],
    ...(observe && { observe }),
  })
}
