// A small schema: publishers and their books.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from './trellis.ts'

export const librarySql = `
  create table publisher (id serial primary key, name text not null unique, info jsonb);
  create table book (id serial primary key, title text not null, price numeric, pages integer, released_on date,
                     publisher_id integer not null references publisher(id));
  insert into publisher (name, info) values
    ('Ark', '{"founded": 1901, "places": ["Oslo", "Rome"], "odd key": {"a": 1}}'), ('Bell', null), ('Cove', '[1, 2]');
  insert into book (title, price, pages, released_on, publisher_id) values
    ('Dawn', 12.50, 300, '2001-02-03', 1), ('Ebb', null, 120, null, 1), ('Fog', 7, null, '1999-12-31', 2);
`

/** Tracks both tables, with `book.publisher` and `publisher.books`. */
export const trackLibrary = [
  { type: 'track_table', args: 'publisher' },
  { type: 'track_table', args: 'book' },
  {
    type: 'create_object_relationship',
    args: { table: 'book', name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' } },
  },
  {
    type: 'create_array_relationship',
    args: {
      table: 'publisher',
      name: 'books',
      using: { foreign_key_constraint_on: { table: 'book', column: 'publisher_id' } },
    },
  },
]

/** An engine over the library, both tables tracked, `book.publisher` and `publisher.books` by foreign key. */
export async function startLibrary(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { ...options, sql: librarySql })
  await trellis.op('bulk', trackLibrary)
  return trellis
}
