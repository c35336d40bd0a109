import assert from 'node:assert/strict'
import test from 'node:test'
import { definePlugin, operation, Type } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = 'create table a (id int primary key, "weird ""name"" 🍎" numeric)'

test('POST /v1/query answers with the result as JSON, errors flat with their status', async (t) => {
  const { op, request } = await startTrellis(t, { sql })
  assert.deepEqual(await op('track_table', 'a'), { message: 'success' })
  const again = await request('/v1/query', { body: { type: 'track_table', args: 'a' } })
  assert.equal(again.status, 400)
  assert.deepEqual(again.body, {
    path: '$.args',
    error: 'view/table already tracked : "a"',
    code: 'already-tracked',
  })
  assert.match(again.headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual(await op('bulk', []), [])
})

test('a string result is JSON too, alone and in a bulk', async (t) => {
  const said = operation({ type: 'say', args: Type.Any(), editsMetadata: false, handle: () => 'it is "so"' })
  const plugin = definePlugin({ name: 'saying', register: ({ operations }) => operations.add(said) })
  const { op, request } = await startTrellis(t, { plugins: [plugin] })
  assert.equal((await request('/v1/query', { body: { type: 'say', args: {} } })).text, '"it is \\"so\\""')
  assert.deepEqual(await op('bulk', [{ type: 'say', args: {} }]), ['it is "so"'])
})

test('a body that is not JSON is refused before all other checks', async (t) => {
  const { request } = await startTrellis(t)
  for (const body of ['', '{', 'nope', '{"type": "bulk", "args": []} x', Buffer.from([0x22, 0xff, 0x22])]) {
    const { status, body: answer } = await request<{ path: string; code: string }>('/v1/query', {
      method: 'POST',
      body,
    })
    assert.deepEqual([status, answer.code, answer.path], [400, 'invalid-json', '$'])
  }
})

test('other roles may not use the metadata API', async (t) => {
  const { request } = await startTrellis(t)
  const { status, body } = await request('/v1/query', { role: 'guest', body: { type: 'export_metadata', args: {} } })
  assert.equal(status, 400)
  assert.deepEqual(body, { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' })
})

test('with the metadata API disabled the endpoint is gone, and tracked tables are served', async (t) => {
  const first = await startTrellis(t, { sql })
  await first.op('track_table', 'a')
  const { database } = first
  const second = await startTrellis(t, { database, settings: { enabledApis: ['graphql'] } })
  const { status, body } = await second.request('/v1/query', { body: { type: 'export_metadata', args: {} } })
  assert.equal(status, 404)
  assert.deepEqual(body, { path: '$', error: 'resource does not exist', code: 'not-found' })
  assert.deepEqual(await second.graphql('{ a { id } }'), { data: { a: [] } })
})

test('long numbers and odd keys pass through unchanged', async (t) => {
  const { request } = await startTrellis(t, { sql })
  const send = (text: string) => request('/v1/query', { body: text })
  await send('{"type":"track_table","args":"a"}')
  const filter = '{"weird \\"name\\" 🍎":{"_gt":123456789012345678901234567890.5}}'
  const permission = `{"table":"a","role":"__proto__","permission":{"columns":["id"],"filter":${filter}}}`
  assert.equal((await send(`{"type":"create_select_permission","args":${permission}}`)).status, 200)
  const { text } = await send('{"type":"export_metadata","args":{}}')
  assert.ok(text.includes(filter), text)
  assert.ok(text.includes('"role":"__proto__"'), text)
})

test('names that are too long for PostgreSQL and large texts get clear errors', async (t) => {
  const { request } = await startTrellis(t, { sql })
  for (const name of ['x'.repeat(64), '🍎'.repeat(20), 'y'.repeat(5000), 'a\u0000b']) {
    const { status, body } = await request<{ error: string }>('/v1/query', {
      body: { type: 'track_table', args: name },
    })
    assert.equal(status, 400)
    assert.equal(body.error, `no such table/view exists in postgres: "${name}"`)
  }
})
