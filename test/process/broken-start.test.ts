// Servers that start over metadata with broken parts: they run, serve the rest, and list each broken part with its
// type, definition and reason.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Hook, hooks } from '../metadata/hooks-plugin.ts'
import { clientOf, type TestClient } from '../support/client.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'

const schema = `
  create table shop (id int primary key, name text, city text);
  create table item (id int primary key, shop_id int references shop, title text, price int);
  create table colour (name text primary key);
  insert into colour values ('red');
  create table paint (id int primary key, colour text references colour);
  create function item_label(item item) returns text language sql stable as $$ select $1.title $$;
  create function cheap_items(most int) returns setof item language sql stable
    as $$ select * from item where price < most $$;
  insert into shop values (1, 'Ark', 'Oslo');
  insert into item values (1, 1, 'Cup', 5);
`

const metadata = {
  version: 2,
  tables: [
    { table: 'colour', is_enum: true },
    { table: 'paint' },
    {
      table: 'item',
      configuration: { custom_column_names: { title: 'heading' } },
      object_relationships: [{ name: 'shop', using: { foreign_key_constraint_on: 'shop_id' } }],
      computed_fields: [{ name: 'label', definition: { function: 'item_label' } }],
      select_permissions: [
        { role: 'buyer', permission: { columns: ['id', 'price'], filter: { shop: { city: { _eq: 'Oslo' } } } } },
        { role: 'clerk', permission: { columns: ['id'], filter: { price: { _gt: 1 } } } },
      ],
      insert_permissions: [{ role: 'clerk', permission: { columns: ['id'], check: {}, set: { price: 0 } } }],
    },
    {
      table: 'shop',
      array_relationships: [
        { name: 'items', using: { foreign_key_constraint_on: { table: 'item', column: 'shop_id' } } },
      ],
      select_permissions: [{ role: 'buyer', permission: { columns: ['id'], filter: {} } }],
    },
  ],
  functions: [{ function: 'cheap_items' }],
}

interface Listed {
  readonly type: string
  readonly reason: string
  readonly definition: unknown
}

interface Breakage {
  readonly what: string
  readonly sql: string
  /** Restores the removed objects. */
  readonly mend: string
  /** Types and reasons of the listed objects. */
  readonly expected: readonly (readonly [string, string])[]
}

/** An unusable table and the objects that become inconsistent with it. */
const withoutItem = (reason: string, ofFunction: string): Breakage['expected'] => [
  ['table', reason],
  ['object_relation', 'table "item" does not exist'],
  ['computed_field', 'table "item" does not exist'],
  ['array_relation', 'in table "shop": in relationship "items": table "item" does not exist'],
  ['insert_permission', 'table "item" does not exist'],
  ['select_permission', 'table "item" does not exist'],
  ['select_permission', 'table "item" does not exist'],
  ['function', ofFunction],
]

const breakages: readonly Breakage[] = [
  {
    what: 'a table that was dropped',
    sql: 'alter table item rename to gone',
    mend: 'alter table gone rename to item',
    expected: withoutItem('no such table/view exists in postgres: "item"', 'table "gone" is not tracked'),
  },
  {
    what: 'a column that permissions need',
    sql: 'alter table item drop column price',
    mend: 'alter table item add column price int',
    expected: [
      ['insert_permission', 'in table "item": in permission for role "clerk": column "price" does not exist'],
      ['select_permission', 'in table "item": in permission for role "buyer": column "price" does not exist'],
      ['select_permission', 'in table "item": in permission for role "clerk": "price" does not exist'],
    ],
  },
  {
    what: 'a column that has a name of its own',
    sql: 'alter table item rename column title to gone',
    mend: 'alter table item rename column gone to title',
    expected: withoutItem(
      'the custom field name "heading" was given for the column "title", but no such column exists',
      'table "item" is not tracked',
    ),
  },
  {
    what: 'a foreign key',
    sql: 'alter table item drop constraint item_shop_id_fkey',
    mend: 'alter table item add constraint item_shop_id_fkey foreign key (shop_id) references shop',
    expected: [
      ['object_relation', 'in table "item": in relationship "shop": no foreign constraint exists on the given column'],
      ['array_relation', 'in table "shop": in relationship "items": no foreign constraint exists on the given column'],
      ['select_permission', 'in table "item": in permission for role "buyer": "shop" does not exist'],
    ],
  },
  {
    what: 'the function of a computed field',
    sql: 'alter function item_label(item) rename to gone',
    mend: 'alter function gone(item) rename to item_label',
    expected: [
      [
        'computed_field',
        'in table "item": in computed field "label": no such function exists in postgres : "item_label"',
      ],
    ],
  },
  {
    what: 'a tracked function',
    sql: 'alter function cheap_items(int) rename to gone',
    mend: 'alter function gone(int) rename to cheap_items',
    expected: [['function', 'in function "cheap_items": no such function exists in postgres : "cheap_items"']],
  },
  {
    what: 'a second function of the name',
    sql: 'create function cheap_items(text) returns setof item language sql stable as $$ select * from item $$',
    mend: 'drop function cheap_items(text)',
    expected: [
      [
        'function',
        'in function "cheap_items": function "cheap_items" is overloaded. Overloaded functions are not supported',
      ],
    ],
  },
  {
    what: 'the values of an enum table',
    sql: 'delete from colour',
    mend: `insert into colour values ('red')`,
    expected: [['table', 'the table "colour" cannot be used as an enum because the table must have at least one row']],
  },
]

const startServer = async (t: TestContext, { url }: TestDatabase): Promise<TestClient> =>
  clientOf(await spawnTrellis(t, ['--database-url', url, '--server-host', '127.0.0.1', '--server-port', '0']).ready())

/** A database with all of it, as a stopped server leaves it. */
async function prepared(t: TestContext): Promise<TestDatabase> {
  const database = await testDatabase(t, { sql: schema })
  const trellis = await startTrellis(t, { database })
  await trellis.op('replace_metadata', metadata)
  await trellis.engine.close()
  return database
}

const listed = ({ op }: TestClient) => op<Listed[]>('get_inconsistent_metadata', {})

/** A kind of object, and how its reason begins. */
function assertListed(found: readonly Listed[], expected: Breakage['expected'], what: string): void {
  const pairs = found.map(({ type, reason }) => `${type}: ${reason}`).sort()
  const wanted = expected.map(([type, reason]) => `${type}: ${reason}`).sort()
  assert.equal(pairs.length, wanted.length, `${what}: ${pairs.join('\n')}`)
  for (const [i, pair] of pairs.entries()) assert.ok(pair.startsWith(wanted[i]!), `${what}: ${pair}`)
  for (const { definition } of found) assert.notEqual(definition, undefined)
}

test('a server starts without missing objects, lists the broken ones, and serves them again when they return', async (t) => {
  const database = await prepared(t)
  for (const { what, sql, mend, expected } of breakages) {
    await database.sql(sql)
    const trellis = await startTrellis(t, { database })
    assert.deepEqual(await trellis.graphql('{ shop { name } }'), { data: { shop: [{ name: 'Ark' }] } }, what)
    assertListed(await listed(trellis), expected, what)
    assert.equal((await trellis.request('/healthz')).text, 'WARN: inconsistent objects in schema')
    assert.equal((await trellis.request('/readyz')).status, 200)

    await database.sql(mend)
    await trellis.op('reload_metadata', {})
    assert.deepEqual(await listed(trellis), [], what)
    assert.equal((await trellis.request('/healthz')).text, 'OK')
    await database.sql('update item set price = 5')
    const query = '{ item { heading label shop { name } } cheap_items(args: {most: 9}) { id } paint { colour } }'
    const item = [{ heading: 'Cup', label: 'Cup', shop: { name: 'Ark' } }]
    const answer = await trellis.graphql(query)
    assert.deepEqual(answer, { data: { item, cheap_items: [{ id: 1 }], paint: [] } }, what)
    await trellis.engine.close()
  }
})

test('the listed definitions of broken objects can be sent again', async (t) => {
  const database = await prepared(t)
  await database.sql('alter table item rename to gone')
  const trellis = await startTrellis(t, { database })
  const definitions = new Map((await listed(trellis)).map(({ type, definition }) => [type, definition]))
  const table = { schema: 'public', name: 'item' }
  assert.equal(definitions.get('table'), 'item')
  assert.deepEqual(definitions.get('object_relation'), {
    table,
    name: 'shop',
    using: { foreign_key_constraint_on: 'shop_id' },
    comment: null,
  })
  assert.deepEqual((definitions.get('computed_field') as { name: string }).name, 'label')
  assert.deepEqual((definitions.get('insert_permission') as { role: string }).role, 'clerk')
})

test('the whole database may be empty', async (t) => {
  const database = await prepared(t)
  await database.sql('drop schema public cascade; create schema public')
  const client = await startServer(t, database)
  assert.deepEqual(await client.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
  assert.equal((await listed(client)).filter(({ type }) => type === 'table').length, metadata.tables.length)
  await client.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await client.op('export_metadata', {}), { version: 2, tables: [] })
})

test('an unset variable leaves out the objects that need it, until a start with it', async (t) => {
  const database = await prepared(t)
  const variable = 'TRELLIS_TEST_HOOK_URL'
  const start = () => startTrellis(t, { database, plugins: [hooks] })
  const first = await start()
  const document = await first.op<object>('export_metadata', {})
  const hook = { name: 'h', url_from_env: variable }
  const refused = await first.opError('replace_metadata', { ...document, test_hooks: [hook] })
  assert.equal(refused.status, 400)
  const args = { allow_inconsistent_metadata: true, metadata: { ...document, test_hooks: [hook] } }
  await first.op('replace_metadata', args, { version: 2 })
  await first.engine.close()

  const without = await start()
  const reason = `environment variable '${variable}' not set`
  assert.deepEqual(await listed(without), [{ type: 'hook', definition: hook, reason }])
  assert.deepEqual(await without.graphql('{ shop { id } }'), { data: { shop: [{ id: 1 }] } })
  await without.engine.close()

  process.env[variable] = 'http://hook.test'
  t.after(() => delete process.env[variable])
  assert.deepEqual(await listed(await start()), [])
})

/** Rows that this server would not store: of a plugin that is not loaded, or in an old shape. */
const strange: readonly (readonly [slice: string, entry: unknown, reason: string])[] = [
  ['test_hooks', { name: 'h', url_from_env: 'X' }, 'no loaded plugin declares "test_hooks"'],
  ['nowhere', 'anything', 'no loaded plugin declares "nowhere"'],
  ['tables', null, 'it is not in the shape of "tables"'],
  ['tables', { name: 'item' }, 'it is not in the shape of "tables"'],
  ['tables', { table: 'item' }, 'it is not in the shape of "tables"'],
  ['tables', { table: { schema: 'public', name: 'x' }, select_permissions: 5 }, 'it is not in the shape of "tables"'],
  ['tables', { table: { schema: 'public', name: 'x' }, configuration: [] }, 'it is not in the shape of "tables"'],
  ['functions', { name: 'cheap_items' }, 'it is not in the shape of "functions"'],
]

test('stored metadata that cannot be read is kept and listed, and leaves the rest alone', async (t) => {
  const database = await prepared(t)
  const before = await (await startTrellis(t, { database })).op('export_metadata', {})
  for (const [i, [slice, entry]] of strange.entries()) {
    await database.sql('insert into trellis.metadata_entry (slice, key, entry) values ($1, $2, $3)', [
      slice,
      `strange ${i}`,
      JSON.stringify(entry),
    ])
  }
  await database.sql(`update trellis.metadata_entry set entry = (entry::jsonb || '{"test_marks": [{"name": "m"}]}')::json
    where slice = 'tables' and entry -> 'table' ->> 'name' = 'shop'`)
  const stored = () => database.sql(`select slice, key, entry::text from trellis.metadata_entry order by slice, key`)
  const trellis = await startTrellis(t, { database })
  const shop = { schema: 'public', name: 'shop' }
  const marked = {
    type: 'test_marks',
    definition: { table: shop, test_marks: [{ name: 'm' }] },
    reason: 'in table "shop": no loaded plugin declares "test_marks"',
  }
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  const expected = [...strange.map(([type, definition, reason]) => ({ type, definition, reason })), marked].sort(byText)
  assert.deepEqual([...(await listed(trellis))].sort(byText), expected)
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
  assert.deepEqual(await trellis.graphql('{ shop { items { id } } }'), { data: { shop: [{ items: [{ id: 1 }] }] } })

  const untouched = (await stored()).filter(({ key }) => String(key).startsWith('strange'))
  await trellis.op('create_select_permission', { table: 'shop', role: 'x', permission: { columns: '*', filter: {} } })
  await trellis.op('untrack_table', { table: 'colour', cascade: true })
  await trellis.op('reload_metadata', {})
  assert.deepEqual([...(await listed(trellis))].sort(byText), expected)
  assert.deepEqual(
    (await stored()).filter(({ key }) => String(key).startsWith('strange')),
    untouched,
  )

  await trellis.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await listed(trellis), [])
  assert.deepEqual(
    (await stored()).filter(({ key }) => String(key).startsWith('strange')),
    [],
  )
  assert.doesNotMatch(JSON.stringify(await stored()), /test_marks/)
  assert.deepEqual(await listed(await startTrellis(t, { database })), [])
})

test('an entry with an unknown shape is set aside, and returns when it is mended', async (t) => {
  const database = await prepared(t)
  const insert = (name: string, entry: unknown) =>
    database.sql(`insert into trellis.metadata_entry (slice, key, entry) values ('test_hooks', $1, $2)`, [
      JSON.stringify(name),
      JSON.stringify(entry),
    ])
  process.env['TRELLIS_TEST_SET'] = 'yes'
  t.after(() => delete process.env['TRELLIS_TEST_SET'])
  await insert('old', { name: 'old', url: 'http://hook.test' })
  await insert('new', { name: 'new', url_from_env: 'TRELLIS_TEST_SET' })
  const trellis = await startTrellis(t, { database, plugins: [hooks] })
  assert.deepEqual(await listed(trellis), [
    {
      type: 'test_hooks',
      definition: { name: 'old', url: 'http://hook.test' },
      reason: `it is not in the shape of "test_hooks": the key 'url_from_env' was not present`,
    },
  ])
  assert.deepEqual(await trellis.graphql('{ shop { id } }'), { data: { shop: [{ id: 1 }] } })
  const { test_hooks } = await trellis.op<{ test_hooks: Hook[] }>('export_metadata', {})
  assert.deepEqual(test_hooks, [{ name: 'new', url_from_env: 'TRELLIS_TEST_SET' }])
  await database.sql(`update trellis.metadata_entry set entry = '{"name":"old","url_from_env":"TRELLIS_TEST_SET"}'
    where slice = 'test_hooks' and key = '"old"'`)
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await listed(trellis), [])
})

test('an entry that takes the place of one that could not be read stays when the other is dropped', async (t) => {
  const database = await prepared(t)
  await database.sql(`update trellis.metadata_entry set entry = '{"broken": true}'
    where slice = 'tables' and entry -> 'table' ->> 'name' = 'paint'`)
  const trellis = await startTrellis(t, { database })
  assert.equal((await listed(trellis)).length, 1)
  await trellis.op('track_table', 'paint')
  await trellis.op('drop_inconsistent_metadata', {})
  const { graphql } = await startTrellis(t, { database })
  assert.deepEqual(await graphql('{ paint { id } }'), { data: { paint: [] } })
})

test('replacing all metadata also replaces unreadable entries', async (t) => {
  const database = await prepared(t)
  await database.sql(`insert into trellis.metadata_entry (slice, key, entry) values ('nowhere', 'x', '1')`)
  const trellis = await startTrellis(t, { database })
  assert.equal((await listed(trellis)).length, 1)
  const refused = await trellis.opError('replace_metadata', { ...metadata, unreadable: [] })
  assert.deepEqual(refused.body, { path: '$.unreadable', error: 'unexpected key "unreadable"', code: 'parse-failed' })
  await trellis.op('replace_metadata', metadata)
  assert.deepEqual(await listed(trellis), [])
  assert.deepEqual(await database.sql(`select 1 from trellis.metadata_entry where slice = 'nowhere'`), [])
})
