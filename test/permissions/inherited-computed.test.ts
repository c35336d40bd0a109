// Inherited roles whose parents have rules on computed fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { inherits, select } from './inheriting.ts'

test('relationships that only some parents follow are read in ordered rows', async (t) => {
  const { op, graphql } = await startTrellis(t, {
    sql: `
      create table shelf (id int primary key);
      create table book (id int primary key, title text not null, hidden bool not null, shelf_id int references shelf);
      create table page (id int primary key, book_id int not null references book);
      create function loud(b book) returns text language sql stable as $$ select upper(b.title) $$;
      insert into shelf values (1);
      insert into book values (1, 'a', false, 1), (2, 'b', true, 1), (3, 'c', true, 1);
      insert into page values (1, 1), (2, 2), (3, 3)`,
  })
  const by = (table: string, name: string, using: unknown) => ({ table, name, using })
  const pages = { foreign_key_constraint_on: { table: 'page', column: 'book_id' } }
  await op('bulk', [
    ...['shelf', 'book', 'page'].map((name) => ({ type: 'track_table', args: name })),
    { type: 'create_object_relationship', args: by('book', 'shelf', { foreign_key_constraint_on: 'shelf_id' }) },
    { type: 'create_array_relationship', args: by('book', 'pages', pages) },
    { type: 'add_computed_field', args: { table: 'book', name: 'loud', definition: { function: 'loud' } } },
    select('shelf', 'reader', { columns: '*', filter: {} }),
    select('page', 'reader', { columns: '*', filter: {} }),
    select('book', 'reader', { columns: ['id', 'title', 'shelf_id'], filter: { loud: { _eq: 'B' } } }),
    select('book', 'guest', { columns: ['title', 'shelf_id'], filter: {} }),
    inherits('both', 'reader', 'guest'),
  ])
  const query = '{ book(order_by: {title: asc}) { title shelf { id } pages { id } } }'
  const role = { headers: { 'x-service-role': 'both' } }
  assert.deepEqual(await graphql(query, {}, role), {
    data: {
      book: [
        { title: 'a', shelf: { id: 1 }, pages: [] },
        { title: 'b', shelf: { id: 1 }, pages: [{ id: 2 }] },
        { title: 'c', shelf: { id: 1 }, pages: [] },
      ],
    },
  })
})
