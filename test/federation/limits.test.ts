// Limits of requests for entities.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSubgraph } from './federation.ts'

const books = (count: number) => Array.from({ length: count }, (_, i) => ({ __typename: 'book', id: i }))

/** Asks for representations once in each of a number of fields. */
const asking = (fields: number, given = '$r') => {
  const all = Array.from({ length: fields }, (_, i) => `a${i}: _entities(representations: ${given}) { __typename }`)
  return `query ${given === '$r' ? '($r: [_Any!]!)' : ''} { ${all.join(' ')} }`
}

interface Answer {
  readonly data?: object
  readonly errors?: readonly { readonly message: string; readonly extensions: { path: string; code: string } }[]
}

test('representations count towards the cost of a request, in each field that reads them', async (t) => {
  const { graphql } = await startSubgraph(t)
  const codeOf = async (query: string, variables: object = {}) => {
    const { data, errors } = await graphql<Answer>(query, { ...variables })
    return data ? null : errors![0]!.extensions.code
  }
  const limit = 'cost-limit-exceeded'
  const r = books(50_000)
  assert.equal(await codeOf(asking(1), { r }), null)
  const { errors } = await graphql<Answer>(asking(2), { r })
  assert.deepEqual(errors, [
    {
      extensions: { path: '$.selectionSet._entities.args.representations', code: limit },
      message: 'the request costs more than 50000, which --max-request-cost (SERVICE_GRAPHQL_MAX_REQUEST_COST) allows',
    },
  ])
  // The plan for a short list does not serve a long one.
  assert.equal(await codeOf(asking(2), { r: books(3) }), null)
  assert.equal(await codeOf(asking(2), { r }), limit)
  assert.equal(await codeOf(asking(700, '{__typename: "book", id: 1}')), limit)
})
