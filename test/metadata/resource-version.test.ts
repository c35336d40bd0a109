// `resource_version`: a request expects one version of the metadata, and is refused if another is stored.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = 'create table book (id int primary key); create table author (id int primary key)'

const versionOf = async ({ op }: TestTrellis) =>
  (await op<{ resource_version: number }>('export_metadata', {}, { version: 2 })).resource_version

const stale = (version: number) => ({
  status: 409,
  body: {
    path: '$',
    error: `metadata resource version referenced (${version}) did not match current version`,
    code: 'conflict',
  },
})

async function startLibrary(t: TestContext) {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'book')
  const ask = async (envelope: object, server: TestTrellis = trellis) => {
    const { status, body } = await server.request('/v1/query', { body: envelope })
    return { status, body }
  }
  return { trellis, ask, document: await trellis.op('export_metadata', {}) }
}

test('a document replaces the version that it was made from, not a newer one', async (t) => {
  const { trellis, ask, document } = await startLibrary(t)
  const seen = await versionOf(trellis)
  const replace = { type: 'replace_metadata', version: 2, resource_version: seen, args: { metadata: document } }
  await trellis.op('track_table', 'author')
  const before = await trellis.op('export_metadata', {})
  assert.deepEqual(await ask(replace), stale(seen))
  assert.deepEqual(await ask({ type: 'replace_metadata', resource_version: seen, args: document }), stale(seen))
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
  assert.equal((await ask({ ...replace, resource_version: await versionOf(trellis) })).status, 200)
  assert.deepEqual(await trellis.op('export_metadata', {}), document)
})

test('a stale version of a bulk or of one of its members refuses the whole bulk', async (t) => {
  const { trellis, ask } = await startLibrary(t)
  const seen = await versionOf(trellis)
  const track = { type: 'track_table', args: 'author' }
  assert.deepEqual(await ask({ type: 'bulk', resource_version: seen - 1, args: [track] }), stale(seen - 1))
  const members = [track, { type: 'untrack_table', args: { table: 'book' }, resource_version: seen + 1 }]
  assert.deepEqual(await ask({ type: 'bulk', resource_version: seen, args: members }), stale(seen + 1))
  assert.equal(await versionOf(trellis), seen)
  const fitting = [track, { type: 'untrack_table', args: { table: 'book' }, resource_version: seen }]
  assert.equal((await ask({ type: 'bulk', resource_version: seen, args: fitting })).status, 200)
})

test('stale requests that write rows or run SQL are refused too; reads are not', async (t) => {
  const { trellis, ask } = await startLibrary(t)
  const seen = await versionOf(trellis)
  const old = { resource_version: seen - 1 }
  const refused = stale(seen - 1)
  const insert = { type: 'insert', args: { table: 'book', objects: [{ id: 1 }] }, ...old }
  assert.deepEqual(await ask(insert), refused)
  const script = (text: string, more: object) => ({ type: 'run_sql', args: { sql: text, ...more }, ...old })
  assert.deepEqual(await ask(script('insert into book values (1)', { check_metadata_consistency: false })), refused)
  assert.deepEqual(await ask(script('drop table author', {})), refused)
  assert.deepEqual(await trellis.sql('select id from book'), [])
  assert.equal((await ask(script('select 1', { read_only: true }))).status, 200)
  const reads = ['export_metadata', 'get_inconsistent_metadata'].map((type) => ({ type, args: {}, ...old }))
  for (const read of reads) assert.equal((await ask(read)).status, 200)
  assert.equal((await ask({ type: 'bulk', args: reads, ...old })).status, 200)
})

test('the stored version counts, even if another instance wrote it', async (t) => {
  const { trellis, ask } = await startLibrary(t)
  const other = await startTrellis(t, { database: trellis.database })
  const seen = await versionOf(trellis)
  const track = { type: 'track_table', args: 'author', resource_version: seen }
  assert.equal((await ask(track)).status, 200)
  assert.deepEqual(
    await ask({ type: 'untrack_table', args: { table: 'book' }, resource_version: seen }, other),
    stale(seen),
  )
})

test('one of several concurrent requests for the same version succeeds', async (t) => {
  const { trellis, ask } = await startLibrary(t)
  const version = { resource_version: await versionOf(trellis) }
  const roles = Array.from({ length: 8 }, (_, i) => `r${i}`)
  const answers = await Promise.all(
    roles.map((role) =>
      ask({
        type: 'create_select_permission',
        args: { table: 'book', role, permission: { columns: '*', filter: {} } },
        ...version,
      }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)])
})

test('a stale request calls no other server', async (t) => {
  const remote = await startOther(t, () => ({ status: 500 }))
  const { ask, trellis } = await startLibrary(t)
  const seen = await versionOf(trellis)
  const args = { name: 'far', definition: { url: remote.url } }
  assert.deepEqual(await ask({ type: 'add_remote_schema', args, resource_version: seen + 5 }), stale(seen + 5))
  assert.equal(remote.received.length, 0)
})

test('a version is a whole number, or null for any', async (t) => {
  const { ask, trellis } = await startLibrary(t)
  const reload = (version: unknown) => ask({ type: 'reload_metadata', args: {}, resource_version: version })
  assert.equal((await reload(null)).status, 200)
  assert.equal((await reload(await versionOf(trellis))).status, 200)
  for (const version of ['1', 1.5, true, {}]) {
    const { status, body } = await reload(version)
    const { code, path } = body as Record<string, unknown>
    assert.deepEqual([status, code, path], [400, 'parse-failed', '$.resource_version'])
  }
})
