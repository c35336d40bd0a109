// Untracking or dropping an object also removes its direct and indirect dependents. Without cascade it is refused, and
// nothing changes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create type mood as enum ('good', 'bad');
  create table author (id int primary key, name text);
  create table book (id int primary key, author_id int references author, mood mood);
  create table shelf (id int primary key, book_id int references book);
  create function author_books(author author) returns setof book language sql stable
    as 'select * from book where author_id = author.id';
  create function author_title(author author) returns text language sql stable as 'select author.name';
  create function all_books() returns setof book language sql stable as 'select * from book'`

const refusal = (...objects: readonly string[]) => ({
  status: 400,
  body: {
    path: '$.args',
    error: `cannot drop due to the following dependent objects : ${objects.join(', ')}`,
    code: 'dependency-error',
  },
})

const permission = (table: string, filter: unknown, more: object = {}) => ({
  type: 'create_select_permission',
  args: { table, role: 'reader', permission: { columns: ['id'], filter, ...more } },
})

async function start(t: TestContext, ...operations: readonly object[]): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [
    ...['author', 'book', 'shelf'].map((args) => ({ type: 'track_table', args })),
    {
      type: 'create_object_relationship',
      args: { table: 'shelf', name: 'book', using: { foreign_key_constraint_on: 'book_id' } },
    },
    ...operations,
  ])
  return trellis
}

/** The document and the inconsistent objects. */
async function stateOf({ op }: TestTrellis) {
  const document = await op<{ metadata?: unknown }>('export_metadata', {})
  return { document, inconsistent: await op('get_inconsistent_metadata', {}) }
}

/** Refused without cascade, then done with it; returns the remaining tables. */
async function released(trellis: TestTrellis, ...objects: readonly string[]) {
  const before = await stateOf(trellis)
  assert.deepEqual(await trellis.opError('untrack_table', { table: 'book' }), refusal(...objects))
  assert.deepEqual(await stateOf(trellis), before)
  await trellis.op('untrack_table', { table: 'book', cascade: true })
  const { document, inconsistent } = await stateOf(trellis)
  assert.deepEqual(inconsistent, [])
  return JSON.stringify(document)
}

test('a computed field depends on the table whose rows it returns', async (t) => {
  const field = { table: 'author', name: 'books', definition: { function: 'author_books', table_argument: 'author' } }
  const trellis = await start(t, { type: 'add_computed_field', args: field })
  const left = await released(trellis, 'computed field author.books', 'relationship shelf.book')
  assert.doesNotMatch(left, /author_books|"book"/)
  assert.deepEqual(await trellis.graphql('{ author { id } shelf { id } }'), { data: { author: [], shelf: [] } })
})

test('indirect dependents are dropped as well', async (t) => {
  const trellis = await start(t, permission('shelf', { book: {} }), { type: 'track_function', args: 'all_books' })
  const left = await released(trellis, 'function all_books', 'relationship shelf.book')
  assert.doesNotMatch(left, /select_permissions|all_books/)
})

test('a relationship of a custom type depends on its table and columns', async (t) => {
  const types = {
    objects: [
      {
        name: 'Sale',
        fields: [{ name: 'book_id', type: 'Int!' }],
        relationships: [
          { name: 'book', type: 'object', remote_table: 'book', field_mapping: { book_id: 'id' } },
          { name: 'author', type: 'object', remote_table: 'author', field_mapping: { book_id: 'id' } },
        ],
      },
    ],
  }
  const trellis = await start(t, { type: 'set_custom_types', args: types })
  const left = await released(trellis, 'relationship Sale.book', 'relationship shelf.book')
  assert.match(left, /"remote_table":"author"|"name":"author"/)
  const drop = { sql: 'alter table author drop column id cascade' }
  assert.deepEqual(await trellis.opError('run_sql', drop), refusal('relationship Sale.author'))
  await trellis.op('run_sql', { ...drop, cascade: true })
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
})

test('a database type of one column only cannot be dropped while custom types or actions use it', async (t) => {
  const field = { name: 'mood', type: 'mood' }
  const trellis = await start(
    t,
    { type: 'drop_relationship', args: { table: 'shelf', relationship: 'book' } },
    { type: 'set_custom_types', args: { objects: [{ name: 'Feeling', fields: [field] }] } },
  )
  const expected = refusal('custom type Feeling.mood')
  const before = await stateOf(trellis)
  for (const cascade of [false, true]) {
    assert.deepEqual(await trellis.opError('untrack_table', { table: 'book', cascade }), expected)
    assert.deepEqual(await stateOf(trellis), before)
  }
  await trellis.sql('alter table shelf add mood mood')
  await trellis.op('reload_metadata', {})
  await trellis.op('untrack_table', { table: 'book' })

  await trellis.op('bulk', [
    { type: 'set_custom_types', args: {} },
    {
      type: 'create_action',
      args: {
        name: 'feel',
        definition: { handler: 'http://127.0.0.1:1', arguments: [{ name: 'mood', type: 'mood' }], output_type: 'Int' },
      },
    },
  ])
  assert.deepEqual(await trellis.opError('untrack_table', { table: 'shelf' }), refusal('action feel'))
  await trellis.op('untrack_table', { table: 'shelf', cascade: true })
  assert.doesNotMatch(JSON.stringify(await stateOf(trellis)), /feel/)
})

test('permissions that list a computed field are dropped with its function', async (t) => {
  const field = { table: 'author', name: 'title', definition: { function: 'author_title' } }
  const trellis = await start(
    t,
    { type: 'add_computed_field', args: field },
    permission('author', {}, { computed_fields: ['title'] }),
  )
  await trellis.op('run_sql', { sql: 'drop function author_title', cascade: true })
  assert.doesNotMatch(JSON.stringify(await stateOf(trellis)), /title|reader/)
})
