// URLs in the metadata: event triggers, cron triggers, one-off events, actions and remote schemas accept the same
// ones.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const sql = 'create table book (id int primary key)'

const output = { objects: [{ name: 'paid', fields: [{ name: 'ok', type: 'Boolean' }] }] }

/** The place of a URL: the operation, and a function that makes its arguments. */
const places: readonly { type: string; path: string; args(url: unknown): Record<string, unknown> }[] = [
  {
    type: 'create_event_trigger',
    path: '$.webhook',
    args: (url) => ({ name: 'told', table: 'book', insert: { columns: '*' }, webhook: url }),
  },
  {
    type: 'create_cron_trigger',
    path: '$.webhook',
    args: (url) => ({ name: 'tick', schedule: '0 0 1 1 *', include_in_metadata: true, webhook: url }),
  },
  {
    type: 'create_scheduled_event',
    path: '$.webhook',
    args: (url) => ({ schedule_at: '2099-01-01T00:00:00Z', webhook: url }),
  },
  {
    type: 'create_action',
    path: '$.definition.handler',
    args: (url) => ({ name: 'pay', definition: { output_type: 'paid', handler: url } }),
  },
  {
    type: 'add_remote_schema',
    path: '$.definition.url',
    args: (url) => ({ name: 'far', definition: { url } }),
  },
]

/** Texts that cannot be URLs, whatever values the variables have. */
const broken = ['nonsense', '', '/hook', 'ftp://example.com/', 'example.com/hook', 'http://', 'ftp://{{HOST}}/']

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'book')
  await trellis.op('set_custom_types', output)
  return trellis
}

test('a text that can never be an HTTP URL is refused by the operation', async (t) => {
  const trellis = await start(t)
  const before = await trellis.op('export_metadata', {})
  for (const { type, path, args } of places) {
    for (const url of broken) {
      const expected = { status: 400, body: { path, error: 'not a valid URI', code: 'parse-failed' } }
      assert.deepEqual(await trellis.opError(type, args(url)), expected, `${type} ${url}`)
    }
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
  assert.deepEqual(await trellis.sql('select from trellis.hdb_scheduled_events'), [])
})

test('documents are refused for the same texts', async (t) => {
  const trellis = await start(t)
  const error = { error: 'not a valid URI', code: 'parse-failed' }
  const tables = [{ table: 'book' }]
  const parts: [object, string][] = [
    [
      { tables: [{ table: 'book', event_triggers: [{ name: 'told', definition: {}, webhook: 'nonsense' }] }] },
      '$.tables[0].event_triggers[0].webhook',
    ],
    [{ tables, cron_triggers: [{ ...places[1]?.args('nonsense') }] }, '$.cron_triggers[0].webhook'],
    [{ tables, custom_types: output, actions: [places[3]?.args('nonsense')] }, '$.actions[0].definition.handler'],
    [{ tables, remote_schemas: [places[4]?.args('nonsense')] }, '$.remote_schemas[0].definition.url'],
  ]
  for (const [document, path] of parts) {
    const { status, body } = await trellis.opError('replace_metadata', { version: 2, ...document })
    assert.deepEqual({ status, body }, { status: 400, body: { path, ...error } })
  }
})

test('a text with a variable, and a variable with the whole URL, are accepted and used', async (t) => {
  const hook = await startOther(t, () => ({ body: { ok: true } }))
  process.env['TEST_HOOK_URL'] = hook.url
  t.after(() => delete process.env['TEST_HOOK_URL'])
  for (const url of ['{{TEST_HOOK_URL}}', { from_env: 'TEST_HOOK_URL' }]) {
    const trellis = await start(t)
    for (const { type, args } of places.slice(0, 4)) await trellis.op(type, args(url))
    await trellis.op('create_scheduled_event', { webhook: url, schedule_at: new Date().toISOString() })
    await trellis.sql('insert into book values (1)')
    const { data } = await trellis.graphql<{ data: unknown }>('mutation { pay { ok } }')
    assert.deepEqual(data, { pay: { ok: true } })
    await eventually(() => hook.received.length === 3)
    hook.received.length = 0
    const document = await trellis.op<Record<string, unknown>>('export_metadata', {})
    await trellis.op('replace_metadata', document)
    assert.deepEqual(await trellis.op('export_metadata', {}), document)
  }
})

test('variables have one form in documents that have a key for them', async (t) => {
  const remote = await startOther(t, () => ({ status: 500 }))
  process.env['TEST_REMOTE_URL'] = remote.url
  t.after(() => delete process.env['TEST_REMOTE_URL'])
  const trellis = await start(t)
  const from_env = 'TEST_REMOTE_URL'
  await trellis.op('create_event_trigger', places[0]?.args({ from_env }))
  await trellis.op('create_cron_trigger', places[1]?.args({ from_env }))
  await trellis.op('create_action', places[3]?.args({ from_env }))
  const exported = await trellis.op<{
    tables: [{ event_triggers: [Record<string, unknown>] }]
    cron_triggers: [{ webhook: unknown }]
    actions: [{ definition: { handler: unknown } }]
  }>('export_metadata', {})
  const [{ event_triggers }] = exported.tables
  assert.deepEqual([event_triggers[0]['webhook'], event_triggers[0]['webhook_from_env']], [undefined, from_env])
  assert.deepEqual(exported.cron_triggers[0].webhook, { from_env })
  assert.deepEqual(exported.actions[0].definition.handler, { from_env })
  const remote_schemas = [{ name: 'far', definition: { url: { from_env }, subscription_url: { from_env } } }]
  const metadata = { version: 2, tables: [], remote_schemas }
  await trellis.op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  assert.equal(remote.received.length > 0, true)
  const { remote_schemas: kept } = await trellis.op<{ remote_schemas: unknown }>('export_metadata', {})
  const definition = { url_from_env: from_env, subscription_url: { from_env } }
  assert.deepEqual(kept, [{ name: 'far', definition }])
})

test('a variable that is not set is named, and objects with an unknown key are refused', async (t) => {
  const trellis = await start(t)
  for (const { type, path, args } of places) {
    const given = (url: object) => trellis.opError(type, args(url))
    if (type !== 'create_scheduled_event') {
      const { body } = await given({ from_env: 'NO_SUCH_URL' })
      assert.match((body as { error: string }).error, /environment variable 'NO_SUCH_URL' not set$/, type)
    }
    const { status, body } = await given({ from_env: 'HOME', path: '/hook' })
    const { code, path: place } = body as Record<string, unknown>
    assert.deepEqual([status, code, place], [400, 'parse-failed', `${path}.path`])
  }
})

test('stored metadata with such a text is served without its object, which is listed as inconsistent', async (t) => {
  const trellis = await start(t)
  const url = 'http://127.0.0.1:1/'
  for (const { type, args } of [places[0], places[1], places[3]].flatMap((place) => place ?? [])) {
    await trellis.op(type, args(url))
  }
  await trellis.engine.close()
  await trellis.sql(`update trellis.metadata_entry set entry = replace(entry::text, '${url}', 'nonsense')::json`)
  const { op, graphql } = await startTrellis(t, { database: trellis.database })
  const found = await op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(
    found.map(({ type, reason }) => [type, reason]),
    [
      ['event_trigger', 'in table "book": in event trigger "told": not a valid URI'],
      ['action', 'in action "pay"; not a valid URI'],
      ['cron_trigger', 'in cron trigger tick: not a valid URI'],
    ],
  )
  assert.deepEqual(await graphql('{ book { id } }'), { data: { book: [] } })
  await op('drop_inconsistent_metadata', {})
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})
