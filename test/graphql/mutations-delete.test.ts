import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'
import { refusalOf } from './mutations.ts'

test('delete returns the rows before the delete, and relationships after it', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`alter table book drop constraint book_publisher_id_fkey,
    add constraint book_publisher_id_fkey foreign key (publisher_id) references publisher on delete cascade`)
  const answer = await trellis.graphql(`mutation {
    delete_book(where: {title: {_eq: "Dawn"}}) {
      affected_rows
      returning { id title publisher { name books_aggregate { aggregate { count } } } }
    }
    delete_publisher(where: {name: {_in: ["Ark", "Bell"]}}) { affected_rows returning { name books { title } } }
  }`)
  assert.deepEqual(answer, {
    data: {
      delete_book: {
        affected_rows: 1,
        returning: [{ id: 1, title: 'Dawn', publisher: { name: 'Ark', books_aggregate: { aggregate: { count: 1 } } } }],
      },
      delete_publisher: {
        affected_rows: 2,
        returning: [
          { name: 'Ark', books: [] },
          { name: 'Bell', books: [] },
        ],
      },
    },
  })
  assert.deepEqual(await trellis.sql('select count(*)::int as n from book'), [{ n: 0 }])
})

test('delete_by_pk returns the deleted row or null', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'mutation ($id: Int!) { delete_book_by_pk(id: $id) { id title publisher { name } } }'
  assert.deepEqual(await trellis.graphql(query, { id: 2 }), {
    data: { delete_book_by_pk: { id: 2, title: 'Ebb', publisher: { name: 'Ark' } } },
  })
  assert.deepEqual(await trellis.graphql(query, { id: 2 }), { data: { delete_book_by_pk: null } })
})

test('an empty where deletes every row, and a missing where is refused', async (t) => {
  const trellis = await startLibrary(t)
  const where = '$.selectionSet.delete_book.args.where'
  const refused = async (args: string) =>
    refusalOf(await trellis.graphql(`mutation { delete_book${args} { affected_rows } }`))
  assert.deepEqual(await refused(''), {
    message: 'missing required field "where"',
    path: where,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('(where: {id: null})'), {
    message: 'expected an object for type "Int_comparison_exp", but found null',
    path: `${where}.id`,
    code: 'validation-failed',
  })
  assert.deepEqual(await trellis.graphql('mutation { delete_book(where: {}) { affected_rows } }'), {
    data: { delete_book: { affected_rows: 3 } },
  })
})

test('referenced rows are not deleted', async (t) => {
  const trellis = await startLibrary(t)
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { delete_publisher(where: {}) { affected_rows } }')), {
    message:
      'Foreign key violation. update or delete on table "publisher" violates foreign key constraint "book_publisher_id_fkey" on table "book"',
    path: '$',
    code: 'constraint-violation',
  })
})

test('a role deletes within its filter only', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.op('create_delete_permission', {
    table: 'book',
    role: 'keeper',
    permission: { filter: { pages: { _lt: 'X-Service-Pages' } } },
  })
  await trellis.op('create_select_permission', {
    table: 'book',
    role: 'keeper',
    permission: { columns: ['id'], filter: {} },
  })
  const options = { role: 'keeper', headers: { 'x-service-pages': '200' } }
  const answer = await trellis.graphql(
    'mutation { delete_book_by_pk(id: 1) { id } delete_book(where: {}) { affected_rows returning { id } } }',
    undefined,
    options,
  )
  assert.deepEqual(answer, {
    data: { delete_book_by_pk: null, delete_book: { affected_rows: 1, returning: [{ id: 2 }] } },
  })
})
