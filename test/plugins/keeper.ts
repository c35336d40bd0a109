// A plugin of which the engine that it was given is kept, to be used as the plugin would.

import { definePlugin, type Engine, type Plugin } from '../../sdk/index.ts'

/** Makes it; `register` is what it does beside that. */
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
