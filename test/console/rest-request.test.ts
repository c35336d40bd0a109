import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  exampleFor,
  isMutation,
  type RestEndpoint,
  requestTo,
  valuesIn,
} from '../../console/src/pages/api/rest/rest-request.ts'

const endpoint = (url: string): RestEndpoint => ({
  ...{ name: 'e', url, methods: ['GET', 'POST'] },
  definition: { query: { collection_name: 'c', query_name: 'q' } },
})

test('a request to a REST endpoint has its variables in the path, and the others where the method has them', () => {
  const values = { id: 'a/b', since: 2000, tags: ['x', 'y'], 'text ä': '&' }
  assert.deepEqual(requestTo(endpoint('songs/:id/of you'), 'GET', values), {
    ...{ name: 'e', method: 'GET' },
    path: 'api/rest/songs/a%2Fb/of%20you?since=2000&tags=%5B%22x%22%2C%22y%22%5D&text+%C3%A4=%26',
  })
  assert.deepEqual(requestTo(endpoint('songs/:id'), 'POST', values), {
    ...{ name: 'e', method: 'POST', path: 'api/rest/songs/a%2Fb' },
    body: { since: 2000, tags: ['x', 'y'], 'text ä': '&' },
  })
  assert.equal(requestTo(endpoint('songs'), 'GET', {}).path, 'api/rest/songs')
})

test('an endpoint has an example of its variables, and its query may edit unless it reads', () => {
  const query = 'query one($id: Int!, $since: Int = 0) { song(where: {id: {_eq: $id}}) { id } }'
  assert.deepEqual(JSON.parse(exampleFor(endpoint('songs/:id'), query)), { id: '', since: '' })
  assert.equal(exampleFor(endpoint('songs'), '{ song { id } }'), '{}')
  const texts = [
    query,
    '# reads\n{ song { id } }',
    'mutation { a }',
    'fragment f on song { id } mutation { a }',
    '',
    '}',
  ]
  assert.deepEqual(texts.map(isMutation), [false, false, true, true, true, true])
  assert.deepEqual(valuesIn(' '), {})
  assert.throws(() => valuesIn('[1]'), /not an object/)
})
