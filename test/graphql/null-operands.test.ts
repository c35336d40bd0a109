import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'

const expressions = [
  '{pages: {_eq: null}}',
  '{pages: {_in: null}}',
  '{pages: {_is_null: null}}',
  '{pages: null}',
  '{_and: null}',
  '{_or: null}',
  '{publisher: null}',
]

const negated = '{_not: null}'

const all = { data: { book: [{ id: 1 }, { id: 2 }, { id: 3 }] } }

test('a null in a boolean expression is refused', async (t) => {
  const trellis = await startLibrary(t)
  for (const where of [...expressions, negated]) {
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
    assert.deepEqual(await trellis.graphql(`{ book(where: ${negated}) { id } }`), { data: { book: [] } })
    const query = 'query ($p: Int) { book(where: {pages: {_gt: $p}, title: {_eq: "Dawn"}}) { id } }'
    assert.deepEqual(await trellis.graphql(query, {}), { data: { book: [{ id: 1 }] } })
    assert.deepEqual(await trellis.graphql(query, { p: 500 }), { data: { book: [] } })
  })
}
