// A plugin that keeps its engine, so that a test can use it as the plugin would.

import { definePlugin, type Engine, type Plugin } from '../../sdk/index.ts'

/** Creates the plugin; `register` runs in addition. */
export function keeper(register: (engine: Engine) => void = () => {}): { plugin: Plugin; engine: () => Engine } {
  let kept: Engine | undefined
  const plugin = definePlugin({
    name: 'mine',
    dependencies: ['graphql'],
    register(engine) {
      kept = engine
      register(engine)
    },
  })
  return { plugin, engine: () => kept! }
}
