import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'

const expressions = [
  '{pages: {_eq: null}}',
  '{pages: {_in: null}}',
  '{pages: {_is_null: null}}',
  '{pages: null}',
  '{_and: null}',
  '{publisher: null}',
]

/** Operands that are false where the others are true. */
const failing = ['{_not: null}', '{_or: null}']

const all = { data: { book: [{ id: 1 }, { id: 2 }, { id: 3 }] } }

test('a null in a boolean expression is refused', async (t) => {
  const trellis = await startLibrary(t)
  for (const where of [...expressions, ...failing]) {
    const answer = await trellis.graphql<{ errors: [{ message: string }] }>(`{ book(where: ${where}) { id } }`)
    assert.match(answer.errors[0].message, /^expected .*but found null$/, where)
  }
})

for (const [title, settings] of [
  ['the dialect hasura', { dialect: 'hasura' }],
  ['the option v1-boolean-null-collapse', { v1BooleanNullCollapse: true }],
] as const) {
  test(`with ${title} a null is an expression that is true`, async (t) => {
    const trellis = await startLibrary(t, { settings })
    for (const where of expressions) {
      assert.deepEqual(await trellis.graphql(`{ book(where: ${where}, order_by: {id: asc}) { id } }`), all, where)
    }
    for (const where of failing) {
      assert.deepEqual(await trellis.graphql(`{ book(where: ${where}) { id } }`), { data: { book: [] } }, where)
    }
    const deleting = 'mutation ($any: [book_bool_exp!]) { delete_book(where: {_or: $any}) { affected_rows } }'
    assert.deepEqual(await trellis.graphql(deleting), { data: { delete_book: { affected_rows: 0 } } })
    const query = 'query ($p: Int) { book(where: {pages: {_gt: $p}, title: {_eq: "Dawn"}}) { id } }'
    assert.deepEqual(await trellis.graphql(query, {}), { data: { book: [{ id: 1 }] } })
    assert.deepEqual(await trellis.graphql(query, { p: 500 }), { data: { book: [] } })
  })
}
