// Arrays of PostgreSQL, which clients of version 2 know as lists.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table book (id int primary key, tags text[], names varchar(9)[], pages int[][]);
  create function tagged(tags text[]) returns setof book language sql stable
    as 'select * from book where book.tags @> tagged.tags'`

test('variables for arrays may be lists', async (t) => {
  const former = await startTrellis(t, { sql })
  await former.op('track_table', 'book')
  await former.op('track_function', 'tagged')
  const { graphql } = await startTrellis(t, { database: former.database, settings: { graphqlInterface: '2' } })
  const insert = `mutation ($id: Int!, $tags: [String!], $names: [String]!, $pages: [[Int!]!]) {
    insert_book_one(object: {id: $id, tags: $tags, names: $names, pages: $pages}) { id tags names pages }
  }`
  const book = { id: 1, tags: ['a', 'b, "c"'], names: ['x', null], pages: [[1, 2]] }
  assert.deepEqual(await graphql(insert, book), { data: { insert_book_one: book } })
  assert.deepEqual(await graphql(insert, { id: 2, names: [] }), {
    data: { insert_book_one: { id: 2, tags: null, names: [], pages: null } },
  })
  const find = `query ($some: [String!] = ["a"], $own: _text, $each: [String!]!) {
    book(where: {tags: {_contains: $some}}) { id }
    own: book(where: {tags: {_eq: $own}}) { id }
    each: book(where: {tags: {_in: [$each]}}) { id }
    tagged(args: {tags: $each}) { id }
  }`
  const found = [{ id: 1 }]
  assert.deepEqual(await graphql(find, { own: '{a,"b, \\"c\\""}', each: book.tags }), {
    data: { book: found, own: found, each: found, tagged: found },
  })
  const refused = await graphql('query ($n: [Int!]) { book(where: {tags: {_contains: $n}}) { id } }')
  assert.match(JSON.stringify(refused), /variable \\"n\\" is declared as \[Int!\], but used where _text is expected/)
  const before = await former.graphql('query ($n: [String!]) { book(where: {tags: {_contains: $n}}) { id } }')
  assert.match(JSON.stringify(before), /variable \\"n\\" is declared as \[String!\], but used where _text is expected/)
})
