import assert from 'node:assert/strict'
import test from 'node:test'
import { startBlog } from './mutations.ts'

test('a response with only __typename exists whether or not rows were changed', async (t) => {
  const trellis = await startBlog(t)
  const answer = await trellis.graphql(`mutation {
    none: delete_author(where: {}) { __typename }
    insert_author(objects: [{name: "Ann"}, {name: "Ben"}]) { __typename }
    update_author(where: {}, _set: {owner: 1}) { __typename }
    delete_author(where: {}) { again: __typename }
  }`)
  const __typename = 'author_mutation_response'
  assert.deepEqual(answer, {
    data: {
      none: { __typename },
      insert_author: { __typename },
      update_author: { __typename },
      delete_author: { again: __typename },
    },
  })
})
