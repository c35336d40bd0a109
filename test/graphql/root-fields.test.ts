import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table book (id int primary key);
  create table insert_book (id int primary key);
  create table shelf (id int primary key);
  create view book_one as select 3 as id;
  insert into book values (1);
  insert into insert_book values (2)`

test('root fields with names like those of other tables are distinguished', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  for (const table of ['book', 'insert_book', 'book_one']) await op('track_table', table)
  const custom_root_fields = { select: 'update_book', insert: 'book_by_pk', delete: 'book' }
  await op('track_table', { table: 'shelf', configuration: { custom_root_fields } }, { version: 2 })
  assert.deepEqual(await graphql('{ book { id } insert_book { id } book_one { id } update_book { id } }'), {
    data: { book: [{ id: 1 }], insert_book: [{ id: 2 }], book_one: [{ id: 3 }], update_book: [] },
  })
  const mutation = `mutation {
    insert_book(objects: {id: 4}) { affected_rows }
    insert_book_one(object: {id: 5}) { id }
    insert_insert_book_one(object: {id: 6}) { id }
    book_by_pk(objects: {id: 7}) { returning { id } }
    book(where: {}) { affected_rows }
  }`
  assert.deepEqual(await graphql(mutation), {
    data: {
      insert_book: { affected_rows: 1 },
      insert_book_one: { id: 5 },
      insert_insert_book_one: { id: 6 },
      book_by_pk: { returning: [{ id: 7 }] },
      book: { affected_rows: 1 },
    },
  })
})
