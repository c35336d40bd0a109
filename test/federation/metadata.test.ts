import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { entity } from './federation.ts'

const sql = 'create table book (id int primary key, title text); create table note (body text)'

const table = (name: string, more: object = {}) => ({ table: { schema: 'public', name }, ...more })
const config = { apollo_federation_config: { enable: 'v1' } }
const document = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [table('book', config), table('note')],
      functions: [],
      configuration: {},
    },
  ],
}

interface Inconsistent {
  readonly type: string
  readonly reason: string
  readonly definition: unknown
}

const metadata = (trellis: TestTrellis, type: string, args: unknown, more: object = {}) =>
  trellis.request('/v1/metadata', { body: { type, args, ...more } })

const listed = (trellis: TestTrellis) => trellis.op<Inconsistent[]>('get_inconsistent_metadata', {})

const on = { enableApolloFederation: true }

for (const [title, options, reasons] of [
  ['served', { settings: on }, []],
  ['off', {}, ['in table "book": Apollo Federation is off: --enable-apollo-federation serves it']],
  ['removed', { without: ['federation'] }, ['in table "book": no loaded plugin declares "apollo_federation_config"']],
] as const) {
  test(`the setting is exported byte for byte where federation is ${title}`, async (t) => {
    const trellis = await startTrellis(t, { sql, ...options })
    const given = { allow_inconsistent_metadata: true, metadata: document }
    assert.equal((await metadata(trellis, 'replace_metadata', given, { version: 2 })).status, 200)
    assert.equal((await metadata(trellis, 'export_metadata', {})).text, JSON.stringify(document))
    const found = await listed(trellis)
    assert.deepEqual(
      found.map(({ reason }) => reason),
      reasons,
    )
    for (const { type } of found) assert.equal(type, 'apollo_federation_config')
    const again = await startTrellis(t, { ...options, database: trellis.database })
    assert.equal((await metadata(again, 'export_metadata', {})).text, JSON.stringify(document))
    if (found.length > 0) {
      await trellis.op('drop_inconsistent_metadata', {})
      const { tables } = await trellis.op<{ tables: object[] }>('export_metadata', {})
      assert.deepEqual(tables, [table('book'), table('note')])
    }
  })
}

test('the setting can be given with the table, set, and removed', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: on })
  const tables = async () => (await trellis.op<{ tables: object[] }>('export_metadata', {})).tables
  await metadata(trellis, 'pg_track_table', { table: 'book', ...config })
  assert.deepEqual(await tables(), [table('book', config)])
  await trellis.op('pg_set_apollo_federation_config', { table: 'book' })
  assert.deepEqual(await tables(), [table('book')])
  await trellis.op('bulk', [entity('book')])
  assert.deepEqual(await tables(), [table('book', config)])
  const wrong = { table: 'book', apollo_federation_config: { enable: 'v2' } }
  assert.equal((await trellis.opError('pg_set_apollo_federation_config', wrong)).status, 400)
  assert.deepEqual(await tables(), [table('book', config)])
})

test('a wrong setting in a document is refused with its place', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: on })
  const args = { version: 2, tables: [table('book', { apollo_federation_config: { enable: 'v2' } })] }
  const { status, body } = await trellis.opError('replace_metadata', args)
  assert.equal(status, 400)
  const { path, code } = body as { path: string; code: string }
  assert.deepEqual([path, code], ['$.tables[0].apollo_federation_config.enable', 'parse-failed'])
})

test('a table without a primary key is listed, and served without an entity', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: on })
  await trellis.op('bulk', [{ type: 'track_table', args: 'note' }, entity('note')])
  assert.deepEqual(
    (await listed(trellis)).map(({ reason }) => reason),
    ['in table "note": an entity needs a primary key'],
  )
  const { data } = await trellis.graphql<{ data: unknown }>('{ note { body } __type(name: "_Entity") { name } }')
  assert.deepEqual(data, { note: [], __type: null })
  await trellis.sql('alter table note add column id int generated always as identity primary key')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await listed(trellis), [])
})

test('the history has the setting as a member of the table, and undoes it', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: on })
  await trellis.op('track_table', 'book')
  await trellis.op('bulk', [entity('book')])
  const { versions } = await trellis.op<{ versions: { version: number; patch: object[] }[] }>(
    'get_metadata_history',
    {},
  )
  const place = { part: 'tables', ...table('book'), member: 'apollo_federation_config' }
  assert.deepEqual(versions[0]!.patch, [{ ...place, after: { enable: 'v1' } }])
  await trellis.op('revert_metadata', { version: versions[0]!.version })
  const { tables } = await trellis.op<{ tables: object[] }>('export_metadata', {})
  assert.deepEqual(tables, [table('book')])
})
