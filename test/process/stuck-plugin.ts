// A plugin that keeps a server from ending in every way it has: a thread that waits for a file, and hooks that do not end.

import { open } from 'node:fs'
import { definePlugin } from '../../sdk/index.ts'

const never = () => new Promise<void>(() => {})

export default definePlugin({
  name: 'stuck',
  register(engine) {
    const pipe = process.env['STUCK_PIPE']
    // It has no writer, so opening it never ends.
    if (pipe !== undefined) engine.onReady(() => open(pipe, 'r', () => {}))
    if (process.env['STUCK_HOOKS'] === undefined) return
    engine.onStopping(never)
    engine.onClose(never)
    engine.app.addHook('onClose', never)
  },
})
