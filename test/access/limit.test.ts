import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'

test('the limit of a role applies to lists of roots, relationships and nodes, but not to counts and single rows', async (t) => {
  const trellis = await startLibrary(t)
  const role = 'reader'
  const permission = { columns: ['id'], filter: {}, limit: 1, allow_aggregations: true }
  for (const table of ['book', 'publisher']) await trellis.op('create_select_permission', { table, role, permission })
  const answer = await trellis.graphql(
    `{
      book(order_by: {id: asc}) { id publisher { id } }
      more: book(limit: 2, order_by: {id: asc}) { id }
      fewer: book(limit: 0) { id }
      behind: book(offset: 1, order_by: {id: asc}) { id }
      publisher(order_by: {id: asc}) { books(order_by: {id: asc}) { id } books_aggregate { aggregate { count } } }
      book_by_pk(id: 3) { id publisher { id } }
      book_aggregate(order_by: {id: desc}) { aggregate { count } nodes { id } }
      two: book_aggregate(limit: 2) { aggregate { count } }
    }`,
    undefined,
    { role },
  )
  assert.deepEqual(answer, {
    data: {
      book: [{ id: 1, publisher: { id: 1 } }],
      more: [{ id: 1 }],
      fewer: [],
      behind: [{ id: 2 }],
      publisher: [{ books: [{ id: 1 }], books_aggregate: { aggregate: { count: 2 } } }],
      book_by_pk: { id: 3, publisher: { id: 2 } },
      book_aggregate: { aggregate: { count: 3 }, nodes: [{ id: 3 }] },
      two: { aggregate: { count: 2 } },
    },
  })
  for (const [limit, ids] of [
    [undefined, [1]],
    [3, [1]],
    [0, []],
  ] as const) {
    const args = { table: 'book', columns: ['id'], order_by: ['+id'], ...(limit !== undefined && { limit }) }
    const rows = await trellis.op<{ id: number }[]>('select', args, { role })
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids,
    )
  }
  assert.deepEqual(await trellis.op('count', { table: 'book' }, { role }), { count: 3 })
})
