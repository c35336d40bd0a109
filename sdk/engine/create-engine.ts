// The engine with the built-in plugins, for programs that run it.

import type { RunningEngine } from '../../core/engine/engine.ts'
import type { Plugin } from '../../core/engine/plugin.ts'
import type { Observer } from '../../core/log/observe.ts'
import { defaultSettings, type GivenSettings } from '../../core/options/options.ts'
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

/** Builds an engine with the built-in plugins; `listen` opens its port, `close` ends it. */
export const createEngine = async ({ settings, plugins = [], observe }: EngineOptions = {}): Promise<RunningEngine> =>
  createEngineWithDatabase({
    settings: defaultSettings(settings),
    plugins: [...builtInPlugins, ...plugins],
    ...(observe && { observe }),
  })
