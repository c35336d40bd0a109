// Services that plugins provide to each other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PluginError } from '../../core/engine/plugins.ts'
import { definePlugin, type Plugin, serviceKey } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

interface Clock {
  now(): string
}

const clock = serviceKey<Clock>('clock')

const provider = definePlugin({
  name: 'clocks',
  register: (engine) => engine.provide(clock, { now: () => 'noon' }),
})

const user = (dependencies: readonly string[]) =>
  definePlugin({
    name: 'reader',
    dependencies,
    register({ routes, use }) {
      const { now } = use(clock)
      routes.add({ method: 'GET', url: '/now', auth: 'none', handle: () => now() })
    },
  })

test('a plugin uses a service of its dependency, in any order of registration', async (t) => {
  const trellis = await startTrellis(t, { plugins: [user(['clocks']), provider] })
  assert.equal((await trellis.request('/now')).text, 'noon')
})

test('a missing service, one outside of the dependencies, and a duplicate one end the start', async (t) => {
  const other = definePlugin({ name: 'others', register: (engine) => engine.provide(clock, { now: () => 'never' }) })
  const refused: readonly (readonly [readonly Plugin[], string])[] = [
    [[user([])], 'plugin "reader" failed to start: service "clock" is not provided by any plugin registered before'],
    [
      [provider, user([])],
      'plugin "reader" failed to start: service "clock" belongs to plugin "clocks", which is not among its dependencies',
    ],
    [[provider, other], 'plugin "others" failed to start: service "clock" is provided by plugin "clocks" already'],
  ]
  for (const [plugins, message] of refused) {
    await assert.rejects(startTrellis(t, { plugins }), (error: Error) => {
      assert.ok(error instanceof PluginError)
      assert.equal(error.message, message)
      return true
    })
  }
})
