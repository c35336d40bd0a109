import assert from 'node:assert/strict'
import test from 'node:test'
import { startService } from './service.ts'

const sql = 'create table book (id int primary key, title text); create table author (id int primary key)'

const select = (role: string, permission: object) => ({
  role,
  permission: { columns: ['id'], filter: {}, ...permission },
})

test('a refused document lists every unknown key and every inconsistent object', async (t) => {
  const { op, refusal } = await startService(t, { sql })
  await op('track_table', 'author')
  const tables = [
    {
      table: 'book',
      colour: 1,
      select_permissions: [select('a', { colums: 1, limitt: 2 }), select('b', { columns: ['isbn'] })],
    },
    { table: 'shelf' },
    { table: 'author', select_permissions: [{ role: 'a' }] },
  ]
  const { internal, ...refused } = await refusal({ type: 'replace_metadata', args: { version: 2, tabels: [], tables } })
  assert.deepEqual(refused, { status: 400, code: 'parse-failed', path: '$.tabels', error: 'unexpected key "tabels"' })
  const listed = internal as readonly { path?: string; error?: string; type?: string; reason?: string }[]
  assert.deepEqual(
    listed.flatMap(({ path, error }) => (path === undefined ? [] : [[path, error]])),
    [
      ['$.tabels', 'unexpected key "tabels"'],
      ['$.tables[0]', 'unexpected keys when parsing TableMetadata : ["colour"]'],
      ['$.tables[0].select_permissions[0].permission.colums', 'unexpected key "colums"'],
      ['$.tables[0].select_permissions[0].permission.limitt', 'unexpected key "limitt"'],
      ['$.tables[2].select_permissions[0]', "the key 'permission' was not present"],
    ],
  )
  assert.deepEqual(
    listed.flatMap(({ type, reason }) => (type === undefined ? [] : [[type, reason]])),
    [
      ['table', 'no such table/view exists in postgres: "shelf"'],
      ['select_permission', 'in table "book": in permission for role "b": column "isbn" does not exist'],
    ],
  )
  assert.deepEqual(await op('export_metadata', {}), {
    version: 2,
    tables: [{ table: { schema: 'public', name: 'author' } }],
  })
})

test('a document is read until its 100th fault', async (t) => {
  const { refusal } = await startService(t, { sql })
  const tables = Array.from({ length: 150 }, (_, i) => ({ table: `t${i}`, colour: 1 }))
  const { internal, path } = await refusal({ type: 'replace_metadata', args: { version: 2, tables } })
  const listed = internal as readonly { readonly path: string }[]
  assert.deepEqual([path, listed.length, listed.at(-1)?.path], ['$.tables[0]', 100, '$.tables[99]'])
  const strange = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${i}`, i]))
  const one = { version: 2, tables: [{ table: 'book', select_permissions: [{ ...select('a', {}), ...strange }] }] }
  assert.equal(((await refusal({ type: 'replace_metadata', args: one })).internal as unknown[]).length, 100)
})

test('a document with one fault is refused without a list', async (t) => {
  const { refusal } = await startService(t)
  assert.equal((await refusal({ type: 'replace_metadata', args: { tables: [], no_key: 1 } })).internal, undefined)
})

test('a dry run answers what would be inconsistent, and changes nothing', async (t) => {
  const { op, refusal, service } = await startService(t, { sql })
  await op('track_table', 'author')
  const before = service.model
  const metadata = { version: 2, tables: [{ table: 'book' }, { table: 'shelf' }] }
  const expected = {
    is_consistent: false,
    inconsistent_objects: [
      {
        type: 'table',
        definition: 'shelf',
        reason: 'no such table/view exists in postgres: "shelf"',
      },
    ],
  }
  assert.deepEqual(await op('replace_metadata', { metadata, dry_run: true }), expected)
  assert.deepEqual(await op('replace_metadata', { metadata, dry_run: true }, { version: 2 }), expected)
  const tracked = { version: 2, tables: [{ table: 'book' }] }
  assert.deepEqual(await op('replace_metadata', { metadata: tracked, dry_run: true }), {
    is_consistent: true,
    inconsistent_objects: [],
  })
  assert.equal(service.model, before)
  const args = { metadata: { ...tracked, no_key: 1 }, dry_run: true }
  assert.equal((await refusal({ type: 'replace_metadata', args })).path, '$.metadata.no_key')
  assert.deepEqual(await op('replace_metadata', { metadata: tracked, dry_run: false }), { message: 'success' })
})

test('a dry run in a bulk leaves the other members as they are', async (t) => {
  const { op, service } = await startService(t, { sql })
  const metadata = { version: 2, tables: [{ table: 'book' }, { table: 'author' }] }
  const results = await op('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'replace_metadata', args: { metadata, dry_run: true } },
    { type: 'create_select_permission', args: { table: 'author', ...select('a', {}) } },
  ])
  const report = { is_consistent: true, inconsistent_objects: [] }
  assert.deepEqual(results, [{ message: 'success' }, report, { message: 'success' }])
  assert.deepEqual(
    [...service.model.tables.values()].map(({ name }) => name.name),
    ['author'],
  )
})

test('the answer lists ignored parts', async (t) => {
  const { op, log } = await startService(t, { sql, dialect: 'hasura' })
  const document = { version: 2, tables: [{ table: 'book' }], colour: 1, backend_configs: { a: 1 } }
  assert.deepEqual(await op('replace_metadata', document), {
    message: 'success',
    passed_over: [
      { reason: 'unknown key in metadata is ignored', key: 'colour' },
      { type: 'backend_configs', definition: { a: 1 }, reason: '"backend_configs" is not served' },
    ],
  })
  assert.ok(log.some(({ detail }) => JSON.stringify(detail).includes('unknown key in metadata is ignored')))
})
