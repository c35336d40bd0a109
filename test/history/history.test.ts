// The history of the metadata: authors, patches, pages, limits, and reverting.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { macKey, namespace, sign } from '../auth/tokens.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table artist (id int primary key, name text);
  create table album (id int primary key, title text, artist_id int references artist);
  create table gone (id int primary key)`

interface Version {
  readonly version: number
  readonly at: string
  readonly by: Readonly<Record<string, string>>
  readonly request_id: string | null
  readonly operations: readonly string[]
  readonly patch: readonly Readonly<Record<string, unknown>>[] | null
}

const table = (name: string) => ({ part: 'tables', table: { schema: 'public', name } })

async function start(t: TestContext, options: Parameters<typeof startTrellis>[1] = {}) {
  const trellis = await startTrellis(t, { sql, ...options })
  const history = (args: object = {}) =>
    trellis.op<{ versions: Version[]; next: number | null }>('get_metadata_history', args)
  const revert = (version: number) => trellis.op('revert_metadata', { version })
  const permit = (role: string, columns: readonly string[]) =>
    trellis.op('create_select_permission', { table: 'artist', role, permission: { columns, filter: {} } })
  const document = () => trellis.op<object>('export_metadata', {})
  return { ...trellis, history, revert, permit, document }
}

test('each version tells its author, its request, and the parts that changed, each before and after', async (t) => {
  const { op, request, history, permit } = await start(t)
  const body = { type: 'track_table', args: 'artist' }
  await request('/v1/query', { body, headers: { 'x-request-id': 'r-1', 'user-agent': 'checks/1.0' } })
  await op('bulk', [
    { type: 'track_table', args: 'album' },
    {
      type: 'set_table_custom_fields',
      version: 2,
      args: { table: 'artist', custom_column_names: { name: 'called' } },
    },
  ])
  await permit('user', ['id'])
  await op('drop_select_permission', { table: 'artist', role: 'user' })
  await op('reload_metadata', {})
  const { versions, next } = await history()
  assert.equal(next, null)
  assert.deepEqual(
    versions.map(({ operations, patch }) => ({ operations, patch })),
    [
      {
        operations: ['drop_select_permission'],
        patch: [
          {
            ...table('artist'),
            member: 'select_permissions',
            name: 'user',
            before: { role: 'user', permission: { columns: ['id'], filter: {} } },
          },
        ],
      },
      {
        operations: ['create_select_permission'],
        patch: [
          {
            ...table('artist'),
            member: 'select_permissions',
            name: 'user',
            after: { role: 'user', permission: { columns: ['id'], filter: {} } },
          },
        ],
      },
      {
        operations: ['track_table', 'set_table_custom_fields'],
        patch: [
          {
            ...table('artist'),
            member: 'configuration',
            after: { custom_root_fields: {}, custom_column_names: { name: 'called' } },
          },
          { ...table('album'), after: { table: { schema: 'public', name: 'album' } } },
        ],
      },
      {
        operations: ['track_table'],
        patch: [{ ...table('artist'), after: { table: { schema: 'public', name: 'artist' } } }],
      },
    ].map(({ patch, ...version }) => ({ ...version, patch: patch as Version['patch'] })),
  )
  const { version, at, by, request_id: requestId } = versions.at(-1)!
  assert.deepEqual([version, by, requestId], [1, { role: 'admin', agent: 'checks/1.0' }, 'r-1'])
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('the author is the label of a secret, the subject of a token, or a plugin', async (t) => {
  const admin = { role: 'admin', variables: {}, backendOnly: false }
  const own = definePlugin({
    name: 'own',
    register: ({ metadata, onReady }) =>
      onReady(async () => {
        await metadata.service.run({ type: 'track_table', args: 'gone' }, admin)
      }),
  })
  const settings = {
    adminSecret: '["first","second"]',
    jwtSecret: JSON.stringify({ type: 'HS256', key: macKey }),
  }
  const { request } = await startTrellis(t, { sql, settings, plugins: [own] })
  const claims = { 'x-service-allowed-roles': ['admin'], 'x-service-default-role': 'admin' }
  const token = await sign({ sub: 'ann', [namespace]: claims })
  const secret = { 'x-service-admin-secret': 'second' }
  const run = (type: string, args: unknown, headers: Readonly<Record<string, string>>) =>
    request<{ versions: Version[] }>('/v1/query', { body: { type, args }, headers })
  assert.equal((await run('track_table', 'artist', { authorization: `Bearer ${token}` })).status, 200)
  assert.equal((await run('track_table', 'album', secret)).status, 200)
  const { body, text } = await run('get_metadata_history', {}, secret)
  assert.deepEqual(
    body.versions.map(({ by: { agent: _, ...by } }) => by),
    [
      { role: 'admin', secret: 'admin secret 2' },
      { role: 'admin', subject: 'ann' },
      { role: 'admin', plugin: 'own' },
    ],
  )
  assert.doesNotMatch(text, /"second"/)
  const reader = await run('get_metadata_history', {}, { ...secret, 'x-service-role': 'user' })
  assert.deepEqual(
    [reader.status, reader.body],
    [400, { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' }],
  )
})

test('a page ends at its limit, and the next one begins there', async (t) => {
  const { op, history, permit } = await start(t)
  await op('track_table', 'artist')
  for (const role of ['a', 'b', 'c']) await permit(role, ['id'])
  const first = await history({ limit: 3 })
  assert.deepEqual([first.versions.map(({ version }) => version), first.next], [[4, 3, 2], 2])
  const last = await history({ before: first.next, limit: 3 })
  assert.deepEqual([last.versions.map(({ version }) => version), last.next], [[1], null])
  const ofObject = async (object: object) => (await history({ object })).versions.map(({ version }) => version)
  assert.deepEqual(await ofObject({ member: 'select_permissions', name: 'b' }), [3])
  assert.deepEqual(await ofObject({ table: { name: 'artist' } }), [4, 3, 2, 1])
  assert.deepEqual(await ofObject({ part: 'remote_schemas' }), [])
  assert.deepEqual(await ofObject({ name: '\0 \ud800' }), [])
})

test('reverted versions give back the document, one by one or together', async (t) => {
  const { op, history, permit, revert, document } = await start(t)
  await op('track_table', 'artist')
  await op('track_table', 'album')
  await op('create_query_collection', {
    name: 'odd \0 name',
    definition: { queries: [{ name: 'q', query: '{ artist { id } }' }] },
  })
  const before = await document()
  await permit('user', ['id'])
  await op('create_object_relationship', {
    table: 'album',
    name: 'artist',
    using: { foreign_key_constraint_on: 'artist_id' },
  })
  await op('drop_query_collection', { collection: 'odd \0 name', cascade: false })
  await op('clear_metadata', {})
  const { versions } = await history({ limit: 4 })
  await revert(versions[0]!.version)
  await op(
    'bulk',
    versions.slice(1).map(({ version }) => ({ type: 'revert_metadata', args: { version } })),
  )
  assert.deepEqual(await document(), before)
  const [newest] = (await history({ limit: 1 })).versions
  assert.deepEqual(newest!.operations, ['revert_metadata'])
  await revert(newest!.version)
  assert.notDeepEqual(await document(), before)
})

test('parts that later edits changed are not undone', async (t) => {
  const { op, opError, permit, revert, document } = await start(t)
  await op('track_table', 'artist')
  await permit('user', ['id'])
  await op('drop_select_permission', { table: 'artist', role: 'user' })
  await permit('user', ['id', 'name'])
  const before = await document()
  const overlap = (version: number, parts: string) => ({
    status: 409,
    body: {
      path: '$.args.version',
      error: `later edits have changed parts of version ${version}: ${parts}`,
      code: 'conflict',
    },
  })
  const permission = 'tables artist select_permissions user'
  assert.deepEqual(await opError('revert_metadata', { version: 1 }), overlap(1, 'tables artist'))
  assert.deepEqual(await opError('revert_metadata', { version: 2 }), overlap(2, permission))
  assert.deepEqual(await opError('revert_metadata', { version: 3 }), overlap(3, permission))
  assert.deepEqual(await document(), before)
  await revert(4)
  await revert(3)
  await op('untrack_table', { table: 'artist' })
  assert.deepEqual(await opError('revert_metadata', { version: 3 }), overlap(3, permission))
})

test('the history keeps a number of versions and of bytes, and no patch that is too large', async (t) => {
  const { op, opError, history, permit, sql } = await start(t)
  await op('track_table', 'artist')
  await permit('user', ['id'])
  const query = `{ artist { id } } # ${'x'.repeat(900_000)}`
  const collection = (name: string, count: number) => ({
    name,
    definition: { queries: Array.from({ length: count }, (_, i) => ({ name: `q${i}`, query })) },
  })
  await op('create_query_collection', collection('large', 5))
  const [large] = (await history({ limit: 1 })).versions
  assert.deepEqual([large!.operations, large!.patch], [['create_query_collection'], null])
  assert.deepEqual(await opError('revert_metadata', { version: large!.version }), {
    status: 400,
    body: {
      path: '$.args.version',
      error: `the changes of version ${large!.version} were too large to be kept`,
      code: 'not-supported',
    },
  })
  await op('create_query_collection', collection('whole', 1))
  await op('drop_query_collection', { collection: 'whole', cascade: false })
  const [dropped, created] = (await history({ limit: 2 })).versions
  assert.equal(dropped!.patch?.length, 1)
  assert.deepEqual(dropped!.patch![0]!.before, created!.patch![0]!.after)
  await sql('update trellis.metadata_version set total = total - 64 * 1048576 where id <= 2')
  await permit('other', ['id'])
  assert.deepEqual(
    (await history()).versions.map(({ operations }) => operations[0]),
    ['create_select_permission', 'drop_query_collection', 'create_query_collection', 'create_query_collection'],
  )
  await sql(`select setval(pg_get_serial_sequence('trellis.metadata_version', 'id'), 1004)`)
  await permit('third', ['id'])
  assert.deepEqual((await history()).versions.length, 2)
  const [{ count }] = (await sql<{ count: string }>(
    'select count(*) from trellis.metadata_change where id not in (select id from trellis.metadata_version)',
  )) as [{ count: string }]
  assert.equal(count, '0')
})

test('an edit that fails leaves no trace, and a history that fails undoes the edit', async (t) => {
  const { op, opError, history, sql } = await start(t)
  await op('track_table', 'artist')
  await opError('bulk', [
    { type: 'track_table', args: 'album' },
    { type: 'track_table', args: 'nothing' },
  ])
  assert.equal((await history()).versions.length, 1)
  await sql('alter table trellis.metadata_change add check (position < 1) not valid')
  const before = await op('export_metadata', {}, { version: 2 })
  await opError('track_table', 'album')
  assert.deepEqual(await op('export_metadata', {}, { version: 2 }), before)
})
