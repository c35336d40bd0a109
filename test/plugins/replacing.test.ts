// A plugin that replaces another one, such as a built-in one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderPlugins } from '../../core/engine/plugins.ts'
import { definePlugin, Type } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

const ownVersion = definePlugin({
  name: 'version',
  replaces: true,
  register(engine) {
    engine.routes.add({
      ...{ method: 'GET', url: '/v1/version', api: null, auth: 'none' },
      about: { summary: 'The version of the shop.', result: Type.Object({ version: Type.String() }) },
      handle: () => ({ version: 'of the shop' }),
    })
  },
})

test('a plugin that replaces a built-in one is served instead', async (t) => {
  const { request } = await startTrellis(t, { plugins: [ownVersion] })
  const { status, text } = await request('/v1/version', { method: 'GET' })
  assert.deepEqual([status, JSON.parse(text)], [200, { version: 'of the shop' }])
})

const loaded = (name: string, { replaces = false, source = null as string | null } = {}) => ({
  plugin: definePlugin({ name, replaces, register() {} }),
  source,
})

test('a replacement takes the position of the replaced plugin, which must exist, and is the only one', () => {
  const own = loaded('b', { replaces: true, source: './b.ts' })
  const ordered = orderPlugins([loaded('a'), loaded('b'), loaded('c'), own])
  assert.deepEqual(
    ordered.map(({ plugin, source }) => [plugin.name, source]),
    [
      ['a', null],
      ['b', './b.ts'],
      ['c', null],
    ],
  )
  assert.throws(() => orderPlugins([loaded('a'), own]), {
    message: 'plugin "b" (./b.ts) replaces a plugin that is not there',
  })
  assert.throws(() => orderPlugins([loaded('b'), own, loaded('b', { replaces: true, source: './other.ts' })]), {
    message: 'plugin "b" (./other.ts) has the name of another one: plugin "b" (./b.ts)',
  })
})
