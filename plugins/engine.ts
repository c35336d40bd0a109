// The engine with the built-in plugins, for programs that run it: `import { createEngine } from 'trellis/engine'`.

import { createEngine as createCore, type RunningEngine } from '../core/engine/engine.ts'
import type { Plugin } from '../core/engine/plugin.ts'
import type { Observer } from '../core/log/observe.ts'
import { defaultSettings, type GivenSettings } from '../core/options/options.ts'
import { builtInPlugins } from './index.ts'

export type { RunningEngine } from '../core/engine/engine.ts'
export { parseSettings, readCommandLine } from './options.ts'
export { builtInPlugins, defaultSettings }

export interface EngineOptions {
  /** What differs from the defaults, options of plugins among it; `databaseUrl` is needed. Environment variables are not looked at. */
  readonly settings: GivenSettings
  /** Beside the built-in ones and those of `settings.plugins`. */
  readonly plugins?: readonly Plugin[]
  /** Takes the log; by default lines on stdout. */
  readonly observe?: Observer
}

/** Builds an engine with the built-in plugins; `listen` opens its port, `close` ends it. */
export const createEngine = ({ settings, plugins = [], observe }: EngineOptions): Promise<RunningEngine> =>
  createCore({ settings: defaultSettings(settings), plugins: [...builtInPlugins, ...plugins], observe })
