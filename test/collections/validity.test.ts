import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `create table item (id int primary key, name text); create table other (id int primary key);
  create table part (id int primary key, item_id int references item)`

const invalid = (query: object, error: string, used = '') => {
  const { name } = query as { name: string }
  const reason = `In query collection "stored" the query "${name}" is invalid with the following error(s): "${error}"${used}`
  return { type: 'query_collections', definition: query, reason }
}

test('queries of collections are checked against the schema whenever it changes', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { adminInternalErrors: true } })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'item' },
    { type: 'track_table', args: 'part' },
  ])
  const list = { name: 'list', query: 'query ($where: item_bool_exp) { item(where: $where) { id name } }' }
  const parts = { name: 'parts', query: '{ part { item { name } } }' }
  const own = { table: 'part', name: 'item', using: { foreign_key_constraint_on: 'item_id' } }
  await trellis.op('create_object_relationship', own)
  await trellis.op('create_query_collection', { name: 'stored', definition: { queries: [list, parts] } })
  const definition = { query: { collection_name: 'stored', query_name: 'list' } }
  await trellis.op('create_rest_endpoint', { name: 'items', url: 'items', methods: ['GET'], definition })
  const listed = () => trellis.op('get_inconsistent_metadata', {})
  assert.deepEqual(await listed(), [])
  const used = '. This query is being used in the following REST endpoint(s): "items"'
  const noItem = invalid(list, "Couldn't find field item in root field query_root", used)

  await t.test('an operation that breaks one is refused', async () => {
    assert.deepEqual(await trellis.opError('untrack_table', { table: 'item', cascade: true }), {
      status: 500,
      body: {
        path: '$.args',
        error: 'cannot continue due to newly found inconsistent metadata',
        code: 'unexpected',
        internal: [noItem, invalid(parts, `field \\"item\\" not found in type: 'part'`)],
      },
    })
    const dropped = await trellis.opError('drop_relationship', { table: 'part', relationship: 'item' })
    assert.deepEqual(Object(dropped.body).internal, [invalid(parts, `field \\"item\\" not found in type: 'part'`)])
    assert.equal((await trellis.request('/api/rest/items')).status, 200)
    assert.deepEqual(await listed(), [])
  })

  await t.test('other operations are not, and a query that is wrong at first is listed', async () => {
    await trellis.op('track_table', 'other')
    await trellis.op('untrack_table', { table: 'other' })
    const late = { name: 'late', query: '{ other { id } }' }
    const args = { collection_name: 'stored', query_name: late.name, query: late.query }
    await trellis.op('add_query_to_collection', args)
    assert.deepEqual(await listed(), [invalid(late, "Couldn't find field other in root field query_root")])
    await trellis.op('track_table', 'other')
    assert.deepEqual(await listed(), [])
  })

  await t.test('a change of the database that breaks one is listed after a reload', async () => {
    await trellis.sql('alter table item drop column name')
    await trellis.op('reload_metadata', {})
    const found = (await listed()) as { definition: unknown }[]
    assert.deepEqual(
      found.map((each) => each.definition),
      [list, parts],
    )
    const again = await startTrellis(t, { database: trellis.database })
    assert.deepEqual(await again.op('get_inconsistent_metadata', {}), found)
    await trellis.sql('alter table item add column name text')
    await trellis.op('reload_metadata', {})
    assert.deepEqual(await listed(), [])
  })

  await t.test('a document that breaks one is accepted, and the query is listed', async () => {
    const document = await trellis.op<object>('export_metadata', {})
    const tables = [{ table: { schema: 'public', name: 'other' } }]
    await trellis.op('replace_metadata', { ...document, tables })
    assert.equal(((await listed()) as object[]).length, 2)
    await trellis.op('replace_metadata', document)
    assert.deepEqual(await listed(), [])
  })

  await t.test('those that are inconsistent can be dropped', async () => {
    await trellis.sql('alter table item drop column name')
    await trellis.op('reload_metadata', {})
    await trellis.op('drop_rest_endpoint', { name: 'items' })
    await trellis.op('drop_inconsistent_metadata', {})
    assert.deepEqual(await listed(), [])
    const { query_collections } = await trellis.op<{ query_collections: unknown }>('export_metadata', {})
    const queries = [{ name: 'late', query: '{ other { id } }' }]
    assert.deepEqual(query_collections, [{ name: 'stored', definition: { queries } }])
  })
})
