import assert from 'node:assert/strict'
import test from 'node:test'
import { parseJson } from '../../core/json/json.ts'
import { storageKey } from '../../core/metadata/slices/storage-key.ts'
import { marksPlugin } from './marks-plugin.ts'
import { startService } from './service.ts'

const rowsQuery = `select slice, key, entry::text, xmin::text as writer from trellis.metadata_entry order by slice, key`

test('a change writes the rows it touches and no others', async (t) => {
  const { op, sql } = await startService(t, { sql: 'create table a (id int); create table b (id int)' })
  await op('track_table', 'a')
  await op('track_table', 'b')
  const before = await sql(rowsQuery)
  await op('create_select_permission', { table: 'b', role: 'r', permission: { columns: '*', filter: {} } })
  const after = await sql(rowsQuery)
  assert.deepEqual(
    after.map(({ key }) => key),
    before.map(({ key }) => key),
  )
  assert.deepEqual(after[0], before[0])
  assert.notEqual(after[1]?.writer, before[1]?.writer)
  await op('untrack_table', { table: 'b' })
  assert.deepEqual(await sql(rowsQuery), [before[0]])
})

test('the version counts changes, and an edit without effect does not raise it', async (t) => {
  const { op, sql, service } = await startService(t, { sql: 'create table a (id int)' })
  const stored = async () => Number((await sql('select resource_version from trellis.metadata'))[0]?.resource_version)
  const first = await stored()
  await op('track_table', 'a')
  assert.equal(await stored(), first + 1)
  assert.equal(service.model.resourceVersion, first + 1)
  await op('export_metadata', {})
  await op('set_table_is_enum', { table: 'a', is_enum: false })
  assert.equal(await stored(), first + 1)
})

test('replacing the metadata with the same writes no row', async (t) => {
  const { op, sql } = await startService(t, { sql: 'create table a (id int)', plugins: [marksPlugin()] })
  await op('track_table', 'a')
  await op('create_select_permission', { table: 'a', role: 'r', permission: { columns: '*', filter: {} } })
  await op('test_set_motto', { text: 'steady' })
  const before = await sql(rowsQuery)
  const document = await op('export_metadata', {})
  await op('replace_metadata', JSON.parse(JSON.stringify(document)))
  assert.deepEqual(await sql(rowsQuery), before)
})

test('numbers beyond double precision come back from the store digit by digit', async (t) => {
  const first = await startService(t, { sql: 'create table a (id numeric)', plugins: [marksPlugin()] })
  const number = '12345678901234567890.123456789012345678901234567890'
  const text = `{"table":"a","role":"r","permission":{"columns":"*","filter":{"id":{"_eq":${number}}}}}`
  await first.op('track_table', 'a')
  await first.op('create_select_permission', parseJson(text, 'precise'))
  await first.op('test_add_sticker', parseJson(`{"name":"n","table":"a","text":[1e400,${number}]}`, 'precise'))
  const second = await startService(t, { database: first.database, plugins: [marksPlugin()] })
  for (const { op } of [first, second]) {
    const exported = JSON.stringify(await op('export_metadata', {}))
    assert.ok(exported.includes(`"filter":{"id":{"_eq":${number}}}`), exported)
    assert.ok(exported.includes(`"text":[1e400,${number}]`), exported)
  }
})

test('any text can be the name of an object', async (t) => {
  const names = [
    '__proto__',
    'constructor',
    'a "quoted" \\ name',
    '🍎',
    '\u0000',
    '\ud800',
    '\ud801',
    ' ',
    'x'.repeat(100_000),
    `${'x'.repeat(100_000)}y`,
  ]
  const first = await startService(t, { sql: 'create table a (id int)', plugins: [marksPlugin()] })
  await first.op('track_table', 'a')
  for (const name of names) {
    await first.op('test_add_sticker', { name, table: 'a', text: name })
    await first.op('create_select_permission', { table: 'a', role: name, permission: { columns: '*', filter: {} } })
  }
  const second = await startService(t, { database: first.database, plugins: [marksPlugin()] })
  for (const { service } of [first, second]) {
    assert.deepEqual(new Set(service.model.slices.test_stickers?.keys()), new Set(names))
    const [table] = service.model.tables.values()
    assert.deepEqual(new Set(table?.permissions.keys()), new Set(names))
  }
  for (const role of names) await second.op('drop_select_permission', { table: 'a', role })
})

test('keys are distinct, storable and short for any name', () => {
  const keys = ['a', '"a"', '\u0000', '\\u0000', '\ud800', '\ud801', 'é'.repeat(9000), `${'é'.repeat(9000)}x`].map(
    storageKey,
  )
  assert.equal(new Set(keys).size, keys.length)
  for (const key of keys) assert.ok(Buffer.byteLength(key) < 2000 && key.isWellFormed() && !key.includes('\u0000'))
})

test('a value slice is one row, or no row while it is empty', async (t) => {
  const { op, sql } = await startService(t, { plugins: [marksPlugin()] })
  const rows = () => sql(`select entry::text from trellis.metadata_entry where slice = 'test_motto'`)
  await op('test_set_motto', { text: 'a' })
  await op('test_set_motto', { text: 'b' })
  assert.deepEqual(await rows(), [{ entry: '{"text":"b"}' }])
  await op('clear_metadata', {})
  assert.deepEqual(await rows(), [])
})
