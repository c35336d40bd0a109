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

test('a strict request with an unknown key is refused in any dialect', async (t) => {
  const neutral = await startTrellis(t, { sql })
  const { database } = neutral
  const other = await startTrellis(t, { database, settings: { dialect: 'hasura' } })
  const track = { type: 'track_table', args: { name: 'a', colour: 'red' } }
  const ask = async (trellis: typeof neutral, body: object, strict: string, url = '/v1/query') => {
    const prefix = trellis === other ? 'x-hasura' : 'x-service'
    const { status, body: answer } = await trellis.request(url, { body, headers: { [`${prefix}-strict`]: strict } })
    return [status, answer]
  }
  const unexpected = (key: string, path: string) => [
    400,
    { path, error: `unexpected key "${key}"`, code: 'parse-failed' },
  ]
  const bulk = { type: 'bulk', args: [{ type: 'export_metadata', args: {} }, track] }
  assert.deepEqual(await ask(other, track, 'true'), unexpected('colour', '$.colour'))
  assert.deepEqual(await ask(other, bulk, 'true'), unexpected('colour', '$[1].colour'))
  const document = { version: 2, tables: [], shades: [] }
  const metadata = { type: 'replace_metadata', version: 2, args: { metadata: document } }
  assert.deepEqual(await ask(other, metadata, 'true'), unexpected('shades', '$.metadata.shades'))
  const logs = { type: 'get_event_logs', args: { name: 'x', form: '2026-01-01' } }
  assert.deepEqual(
    await ask(other, { ...logs, type: 'pg_get_event_logs' }, 'true', '/v1/metadata'),
    unexpected('form', '$.args.form'),
  )
  for (const trellis of [neutral, other]) {
    const beside = { type: 'export_metadata', args: {}, flavour: 1 }
    assert.deepEqual(await ask(trellis, beside, 'true'), unexpected('flavour', '$.flavour'))
    assert.equal((await ask(trellis, beside, 'false'))[0], 200)
    assert.equal((await ask(trellis, { type: 'export_metadata', args: {}, version: 1 }, 'true'))[0], 200)
  }
  const name = 'x-service-strict'
  assert.deepEqual(await ask(neutral, bulk, 'yes'), [
    400,
    { path: '$', error: `the header "${name}" is "true" or "false"`, code: 'parse-failed' },
  ])
  assert.deepEqual(await ask(other, track, 'false'), [200, { message: 'success' }])
})
