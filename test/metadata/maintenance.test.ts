// `--enable-maintenance-mode`: the metadata stay as they are, and everything else works.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table artist (id int primary key, name text);
  create table album (id int primary key, title text);
  insert into artist values (1, 'Ida')`

const refusal = {
  path: '$.args',
  error: 'metadata cannot be modified in maintenance mode',
  code: 'not-supported',
}

/** A server in maintenance mode, over a database whose table `artist` another server has tracked. */
async function start(t: TestContext, settings: Parameters<typeof startTrellis>[1] = {}) {
  const before = await startTrellis(t, { sql, ...settings })
  await before.op('track_table', 'artist')
  const inMaintenance = { ...settings.settings, enableMaintenanceMode: true }
  const trellis = await startTrellis(t, { ...settings, settings: inMaintenance, database: before.database })
  const ask = async (type: string, args: unknown, url = '/v1/query') => {
    const { status, body } = await trellis.request(url, { body: { type, args } })
    return { status, body }
  }
  return { ...trellis, before, ask, document: () => trellis.op<object>('export_metadata', {}) }
}

test('a change of the metadata is refused by every operation, and changes nothing', async (t) => {
  const { ask, document } = await start(t)
  const before = await document()
  const permission = { table: 'artist', role: 'user', permission: { columns: ['id'], filter: {} } }
  const changes: readonly [string, unknown][] = [
    ['track_table', 'album'],
    ['untrack_table', { table: 'artist' }],
    ['create_select_permission', permission],
    ['replace_metadata', { version: 2, tables: [{ table: 'album' }] }],
    ['clear_metadata', {}],
    ['create_query_collection', { name: 'c', definition: { queries: [] } }],
    ['bulk', [{ type: 'track_table', args: 'album' }]],
    ['run_sql', { sql: 'alter table artist rename column name to title; alter table artist rename to performer' }],
    ['run_sql', { sql: 'drop table artist', cascade: true }],
  ]
  for (const [type, args] of changes) assert.deepEqual(await ask(type, args), { status: 400, body: refusal }, type)
  assert.deepEqual(await document(), before)
})

test('changes by the names of later engines are refused, and a list that keeps going changes nothing', async (t) => {
  const { ask, document, sql } = await start(t)
  const before = await document()
  const track = { type: 'pg_track_table', args: { source: 'default', table: 'album' } }
  const insert = { type: 'run_sql', args: { sql: "insert into album values (1, 'Sea')" } }
  const changes: readonly [string, unknown][] = [
    ['pg_track_table', track.args],
    ['bulk_atomic', [track]],
    ['bulk_keep_going', [track]],
    ['replace_metadata', { version: 3, sources: [] }],
  ]
  for (const [type, args] of changes) {
    assert.deepEqual(await ask(type, args, '/v1/metadata'), { status: 400, body: refusal }, type)
  }
  assert.deepEqual(await ask('bulk', [insert, { type: 'track_table', args: 'album' }]), { status: 400, body: refusal })
  assert.deepEqual(await sql('select * from album'), [])
  assert.deepEqual(await document(), before)
})

test('requests that leave the metadata as they are still work: data, SQL, dry runs, exports and reloads', async (t) => {
  const { ask, document, before, graphql } = await start(t)
  const exported = await document()
  const kept: readonly [string, unknown][] = [
    ['reload_metadata', {}],
    ['run_sql', { sql: 'create table fresh (id int primary key)' }],
    ['run_sql', { sql: 'alter table artist add column born int' }],
    ['validate_metadata', { metadata: { version: 2, tables: [{ table: 'album' }] } }],
    ['simulate', { changes: [{ type: 'track_table', args: 'album' }] }],
    ['get_inconsistent_metadata', {}],
    ['replace_metadata', exported],
    ['bulk', [{ type: 'select', args: { table: 'artist', columns: ['id'] } }]],
  ]
  for (const [type, args] of kept) {
    const { status, body } = await ask(type, args)
    assert.equal(status, 200, `${type}: ${JSON.stringify(body)}`)
  }
  assert.deepEqual(await document(), exported)
  assert.deepEqual(await graphql('{ artist { id born } }'), { data: { artist: [{ id: 1, born: null }] } })
  // Another server without the mode still changes them, and this one follows.
  await before.op('track_table', 'album')
  await ask('reload_metadata', {})
  assert.deepEqual(await graphql('{ album { id } }'), { data: { album: [] } })
})

test('operations on events, jobs and the state of the console still work: they are not metadata', async (t) => {
  const { ask, before } = await start(t)
  const webhook = 'http://127.0.0.1:9/'
  await before.op('create_event_trigger', { name: 'hello', table: 'artist', webhook, insert: { columns: '*' } })
  await ask('reload_metadata', {})
  const { body } = await ask('invoke_event_trigger', { name: 'hello', payload: { id: 1, name: 'Ida' } })
  const { event_id } = body as { event_id: string }
  const kept: readonly [string, unknown][] = [
    ['create_scheduled_event', { webhook, schedule_at: '2040-01-01T00:00:00Z', payload: {} }],
    ['pause_event_trigger_cleanups', { event_triggers: [{ event_triggers: ['hello'], source_name: 'default' }] }],
    ['set_catalog_state', { type: 'console', state: { seen: true } }],
  ]
  for (const [type, args] of kept) {
    const { status, body } = await ask(type, args, '/v1/metadata')
    assert.equal(status, 200, `${type}: ${JSON.stringify(body)}`)
  }
  const { error } = (await ask('redeliver_event', { event_id })).body as { error?: string }
  assert.doesNotMatch(error ?? '', /maintenance/)
  for (const type of ['pause_event_trigger', 'delete_event_trigger']) {
    assert.deepEqual(await ask(type, { name: 'hello' }), { status: 400, body: refusal })
  }
})
