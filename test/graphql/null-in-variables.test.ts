// `--backwards-compat-null-in-nonnullable-variables`: null for a variable of a non-null type, as earlier engines took it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table book (id int primary key, title text, info jsonb);
  insert into book values (1, 'Dawn', '{"a": null}'), (2, 'Dusk', '{}')`

async function start(t: TestContext, isLenient: boolean) {
  const trellis = await startTrellis(t, { sql, settings: { backwardsCompatNullInNonnullableVariables: isLenient } })
  await trellis.op('track_table', 'book')
  return trellis
}

const byLimit = 'query ($limit: Int!) { book(limit: $limit, order_by: {id: asc}) { id } }'
const refused = (path: string, message: string) => ({
  errors: [{ extensions: { path: `$.selectionSet.${path}`, code: 'validation-failed' }, message }],
})
const noNumber = 'expected a 32-bit integer for type "Int", but found null'

test('null for a variable of a non-null type counts as null where the place takes it', async (t) => {
  const { graphql } = await start(t, true)
  const all = { data: { book: [{ id: 1 }, { id: 2 }] } }
  const first = { data: { book: [{ id: 1 }] } }
  // The same document with a value and with null, in turn: no plan is shared.
  for (const [limit, answer] of [
    [1, first],
    [null, all],
    [1, first],
  ] as const) {
    assert.deepEqual(await graphql(byLimit, { limit }), answer)
  }
  const withDefault = byLimit.replace('Int!', 'Int! = 1')
  assert.deepEqual(await graphql(withDefault, { limit: null }), all)
  assert.deepEqual(await graphql(withDefault), first)
  const set = 'mutation ($title: String!) { update_book_by_pk(pk_columns: {id: 1}, _set: {title: $title}) { title } }'
  assert.deepEqual(await graphql(set, { title: null }), { data: { update_book_by_pk: { title: null } } })
  const within = 'query ($a: Int!) { book(where: {info: {_contains: {a: $a}}}) { id } }'
  assert.deepEqual(await graphql(within, { a: null }), first)
})

test('null is still refused where a value is required, and an absent variable everywhere', async (t) => {
  const { graphql } = await start(t, true)
  const byKey = 'query ($id: Int!) { book_by_pk(id: $id) { id } }'
  assert.deepEqual(await graphql(byKey, { id: null }), refused('book_by_pk.args.id', noNumber))
  const absent = 'expecting a value for non-nullable variable: "limit"'
  assert.deepEqual(await graphql(byLimit), {
    errors: [{ extensions: { path: '$', code: 'validation-failed' }, message: absent }],
  })
  const compared = 'query ($id: Int!) { book(where: {id: {_eq: $id}}) { id } }'
  const answer = await graphql<{ errors: { message: string }[] }>(compared, { id: null })
  assert.match(answer.errors[0]!.message, /null/)
})

test('without the option null for a variable of a non-null type is refused', async (t) => {
  const { graphql } = await start(t, false)
  assert.deepEqual(await graphql(byLimit, { limit: null }), refused('book.args.limit', noNumber))
})
