import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }

test('tools store their state, each its own and whole', async (t) => {
  const trellis = await startTrellis(t)
  const [row] = await trellis.sql<{ id: string }>('select id from trellis.metadata')
  const id = row!.id
  assert.deepEqual(await trellis.op('get_catalog_state', {}), { id, cli_state: {}, console_state: {} })
  const state = { migrations: { 1: true }, text: '\u0000 "quoted" \ud83d\ude00', list: [1, null] }
  assert.deepEqual(await trellis.op('set_catalog_state', { type: 'cli', state }), ok)
  assert.deepEqual(await trellis.op('set_catalog_state', { type: 'console', state: 'seen' }), ok)
  assert.deepEqual(await trellis.op('get_catalog_state', {}), { id, cli_state: state, console_state: 'seen' })
  await trellis.op('set_catalog_state', { type: 'cli', state: null })
  const restarted = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await restarted.op('get_catalog_state', {}), { id, cli_state: null, console_state: 'seen' })
})

test('numbers of a state keep their digits', async (t) => {
  const trellis = await startTrellis(t)
  const body = '{"type": "set_catalog_state", "args": {"type": "cli", "state": [12345678901234567890]}}'
  await trellis.request('/v1/query', { body })
  const { text } = await trellis.request('/v1/query', { body: { type: 'get_catalog_state', args: {} } })
  assert.match(text, /"cli_state":\[12345678901234567890\]/)
})

test('the state is not part of the metadata', async (t) => {
  const trellis = await startTrellis(t)
  const before = await trellis.op('export_metadata', {}, { version: 2 })
  await trellis.op('set_catalog_state', { type: 'cli', state: 1 })
  assert.deepEqual(await trellis.op('export_metadata', {}, { version: 2 }), before)
  await trellis.op('clear_metadata', {})
  assert.equal((await trellis.op<{ cli_state: unknown }>('get_catalog_state', {})).cli_state, 1)
})

test('an invalid state of a tool is refused', async (t) => {
  const trellis = await startTrellis(t)
  const refused = async (args: unknown, path: string, error: string) =>
    assert.deepEqual(await trellis.opError('set_catalog_state', args), {
      status: 400,
      body: { path, error, code: 'parse-failed' },
    })
  await refused({ type: 'cli' }, '$', `the key 'state' was not present`)
  await refused({ state: 1 }, '$', `the key 'type' was not present`)
  await refused({ type: 'editor', state: 1 }, '$.type', `expected one of 'cli', 'console'`)
  for (const [type, args] of [
    ['get_catalog_state', {}],
    ['set_catalog_state', { type: 'cli', state: 1 }],
  ] as const) {
    const { body } = await trellis.opError(type, args, { role: 'guest' })
    assert.deepEqual(body, { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' })
  }
})
