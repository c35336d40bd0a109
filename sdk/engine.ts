// For programs that run their own engine: `import { createEngine, trellis } from 'trellis/engine'`.

export type { RunningEngine } from '../core/engine/engine.ts'
export { defaultSettings, type GivenSettings, type Settings } from '../core/engine/options.ts'
export type { LoadedPlugin } from '../core/engine/plugins.ts'
export { type LogReceiver, type Observer, silentObserver } from '../core/log/observe.ts'
export { builtInPlugins } from '../plugins/index.ts'
export { createEngine, type EngineOptions } from './engine/create-engine.ts'
export { type MountOptions, trellis } from './engine/mount.ts'
