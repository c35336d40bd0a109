import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table colour (value text primary key, comment text);
  insert into colour values ('red', 'warm'), ('blue', null);
  create table paint (id int primary key, colour text references colour);
  insert into paint values (1, 'red')`

test('a column that references an enum table has the enum as its type', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', { table: 'colour', is_enum: true })
  await trellis.op('track_table', 'paint')
  const data = { paint: [{ colour: 'red' }] }
  assert.deepEqual(await trellis.graphql('{ paint(where: {colour: {_eq: red}}) { colour } }'), { data })
  const type = '{ __type(name: "colour_enum") { enumValues { name description } } }'
  const enumValues = [
    { name: 'blue', description: null },
    { name: 'red', description: 'warm' },
  ]
  assert.deepEqual(await trellis.graphql(type), { data: { __type: { enumValues } } })
  assert.deepEqual(await trellis.op('export_metadata', {}), {
    version: 2,
    tables: [
      { table: { schema: 'public', name: 'colour' }, is_enum: true },
      { table: { schema: 'public', name: 'paint' } },
    ],
  })
})

test('is_enum may stand beside the parts of the name', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', { schema: 'public', name: 'colour', is_enum: true })
  const { tables } = await trellis.op<{ tables: unknown[] }>('export_metadata', {})
  assert.deepEqual(tables, [{ table: { schema: 'public', name: 'colour' }, is_enum: true }])
})

test('set_table_is_enum turns an enum on and off', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'colour')
  await trellis.op('track_table', 'paint')
  const data = { paint: [{ id: 1 }] }
  assert.deepEqual(await trellis.graphql('{ paint(where: {colour: {_eq: "red"}}) { id } }'), { data })
  await trellis.op('set_table_is_enum', { table: 'colour', is_enum: true })
  assert.deepEqual(await trellis.graphql('{ paint(where: {colour: {_eq: red}}) { id } }'), { data })
  await trellis.op('set_table_is_enum', { table: 'colour', is_enum: false })
  assert.deepEqual(await trellis.graphql('{ paint(where: {colour: {_eq: "red"}}) { id } }'), { data })
})

test('new rows of an enum table are values after reload_metadata', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', { table: 'colour', is_enum: true })
  await trellis.op('track_table', 'paint')
  await trellis.sql("insert into colour values ('green')")
  const query = '{ paint(where: {colour: {_eq: green}}) { id } }'
  assert.ok('errors' in (await trellis.graphql<object>(query)))
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.graphql(query), { data: { paint: [] } })
})

test('a permission takes values of the enum only', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', { table: 'colour', is_enum: true })
  await trellis.op('track_table', 'paint')
  const grant = (value: string) => ({
    table: 'paint',
    role: 'painter',
    permission: { columns: '*', filter: { colour: value } },
  })
  const { body } = await trellis.opError('create_select_permission', grant('pink'))
  const reason = 'expected one of the values "red", "blue" for type "colour", given "pink"'
  const error = `in table "paint": in permission for role "painter": ${reason}`
  assert.equal((body as { error: string }).error, error)
  await trellis.op('create_select_permission', grant('red'))
  assert.deepEqual(await trellis.graphql('{ paint { id } }', {}, { role: 'painter' }), { data: { paint: [{ id: 1 }] } })
})

const cannot = (table: string) => `the table "${table}" cannot be used as an enum`

const violations: readonly (readonly [sql: string, error: string])[] = [
  ['create table e (value text)', `${cannot('e')} because the table must have a primary key`],
  [
    'create table e (b text, a text, primary key (b, a))',
    `${cannot('e')} because the table’s primary key must not span multiple columns (a, b)`,
  ],
  [
    'create table e (id int primary key)',
    `${cannot('e')} because the table’s primary key ("id") must have type "text", not type "integer"`,
  ],
  ['create table e (value text primary key)', `${cannot('e')} because the table must have at least one row`],
  [
    `create table e (value text primary key); insert into e values ('x y')`,
    `${cannot('e')} because the value "x y" is not a valid GraphQL enum value name`,
  ],
  [
    `create table e (value text primary key); insert into e values ('b-2'), ('a-1'), ('fine')`,
    `${cannot('e')} because the values "a-1" and "b-2" are not valid GraphQL enum value names`,
  ],
  [
    `create table e (value text primary key); insert into e values ('true'), ('null'), ('')`,
    `${cannot('e')} because the values , null, and "true" are not valid GraphQL enum value names`,
  ],
  [
    `create table e (value text primary key, n int); insert into e values ('a', 1)`,
    `${cannot('e')} because the table’s comment column ("n") must have type "text", not type "integer"`,
  ],
  [
    `create table e (a text primary key, d text, c text, b text); insert into e values ('a')`,
    `${cannot('e')} because the table must have exactly one primary key and optionally one comment column, not 4 columns (a, b, c, d)`,
  ],
  [
    'create table e (value text primary key, n int)',
    `${cannot('e')} for the following reasons:\n` +
      '  • the table must have at least one row\n' +
      '  • the table’s comment column ("n") must have type "text", not type "integer"\n',
  ],
]

test('an invalid enum table is refused with every reason', async (t) => {
  const trellis = await startTrellis(t)
  for (const [definition, error] of violations) {
    await t.test(definition, async () => {
      await trellis.sql(`drop table if exists e; ${definition}`)
      const { status, body } = await trellis.opError('track_table', { table: 'e', is_enum: true })
      const { internal: _, ...shown } = body as Record<string, unknown>
      assert.deepEqual({ status, ...shown }, { status: 400, path: '$.args', error, code: 'constraint-violation' })
    })
  }
})

test('a column that references two enum tables is refused', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table a (value text primary key); insert into a values ('x');
      create table b (value text primary key); insert into b values ('x');
      create table c (kind text references a references b)`,
  })
  await trellis.op('track_table', { table: 'a', is_enum: true })
  await trellis.op('track_table', { table: 'b', is_enum: true })
  const { body } = await trellis.opError('track_table', 'c')
  const error = 'column "kind" in table "c" references multiple enum tables ("a", "b")'
  assert.equal((body as { error: string }).error, error)
})
