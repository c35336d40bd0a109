// GET requests to the GraphQL paths.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'

const url = (query: string, more: Readonly<Record<string, string>> = {}, path = '/v1/graphql') =>
  `${path}?${new URLSearchParams({ query, ...more })}`

const titles = 'query Titles($id: Int!) { book_by_pk(id: $id) { title } }'
const dawn = { data: { book_by_pk: { title: 'Dawn' } } }
const mutation = 'mutation { delete_book(where: {}) { affected_rows } }'

test('queries in the URL are answered', async (t) => {
  const { request, op } = await startLibrary(t)
  const variables = JSON.stringify({ id: 1 })
  const answer = await request(url(titles, { variables }))
  assert.deepEqual([answer.status, answer.body], [200, dawn])
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const both = `${titles} ${mutation.replace('mutation', 'mutation Remove')}`
  for (const path of ['/v1/graphql', '/v1alpha1/graphql']) {
    const named = await request(url(both, { variables, operationName: 'Titles', extensions: '{}' }, path))
    assert.deepEqual([named.status, named.body], [200, dawn])
  }
  const relay = await request(url('{ book_connection { edges { node { title } } } }', {}, '/v1beta1/relay'))
  assert.deepEqual([relay.status, Object.keys(relay.body as object)], [200, ['data']])
  const head = await request(url('{ __typename }'), { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
  await op('create_select_permission', {
    ...{ table: 'book', role: 'reader' },
    permission: { columns: ['title'], filter: { id: { _eq: 'x-service-user-id' } } },
  })
  const as = { role: 'reader', headers: { 'x-service-user-id': '2' } }
  assert.deepEqual((await request(url('{ book { title } }'), as)).body, { data: { book: [{ title: 'Ebb' }] } })
})

test('mutations are refused, and change nothing', async (t) => {
  const { request, graphql } = await startLibrary(t)
  const extensions = { path: '$', code: 'method-not-allowed' }
  const refusal = { errors: [{ extensions, message: 'mutations are not run by GET' }] }
  for (const accept of ['application/json', 'application/graphql-response+json', '*/*']) {
    const { status, headers, body } = await request(url(mutation), { headers: { accept } })
    assert.deepEqual([status, headers.get('allow'), body], [405, 'POST', refusal])
  }
  const subscribed = await request(url('subscription { book { id } }'))
  assert.deepEqual([subscribed.status, Object.keys(subscribed.body as object)], [200, ['errors']])
  assert.deepEqual(await graphql('{ book_aggregate { aggregate { count } } }'), {
    data: { book_aggregate: { aggregate: { count: 3 } } },
  })
})

test('other texts than queries are refused as in a body', async (t) => {
  const { request } = await startLibrary(t)
  const refused = async (path: string) => {
    const { status, body } = await request<{ errors: { extensions: object; message: string }[] }>(path)
    const { extensions, message } = body.errors[0]!
    return { status, ...extensions, message }
  }
  assert.deepEqual(await refused('/v1/graphql'), {
    ...{ status: 200, path: '$', code: 'parse-failed' },
    message: "the key 'query' was not present",
  })
  assert.deepEqual(await refused('/v1alpha1/graphql?query=a&query=b'), {
    ...{ status: 400, path: '$.query', code: 'parse-failed' },
    message: 'parsing Text failed, expected String, but encountered Array',
  })
  assert.deepEqual(await refused(url(titles, { variables: '[1]' })), {
    ...{ status: 200, path: '$.variables', code: 'parse-failed' },
    message: 'parsing Object failed, expected Object, but encountered Array',
  })
  const { status, code } = (await refused(url(titles, { variables: '{' }))) as { status: number; code?: string }
  assert.deepEqual([status, code], [400, 'invalid-json'])
})

test('a secret is required, as for POST', async (t) => {
  const { request } = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  const headers = { 'x-service-admin-secret': 'sesame' }
  const open = await request(url('{ __typename }'), { headers })
  assert.deepEqual(open.body, { data: { __typename: 'query_root' } })
  const { body } = await request(url('{ __typename }'), { headers: { accept: 'application/json' } })
  assert.deepEqual(body, {
    errors: [
      {
        extensions: { path: '$', code: 'access-denied' },
        message: 'x-service-admin-secret/x-service-access-key required, but not found',
      },
    ],
  })
})

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }

test('a browser gets a page with instructions', async (t) => {
  const { request } = await startLibrary(t)
  const opened = await request('/v1/graphql', { headers: { ...browser, 'sec-fetch-site': 'none' } })
  assert.deepEqual([opened.status, opened.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.match(opened.text, /This is a GraphQL endpoint/)
  assert.match(opened.text, /--enable-graphiql|href="..\/graphiql"/)
  const typed = await request(url('{ __typename }'), { headers: { ...browser, 'sec-fetch-site': 'none' } })
  assert.deepEqual(typed.body, { data: { __typename: 'query_root' } })
})

test('the page needs no secret, and runs nothing', async (t) => {
  const { request } = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  const { status, text } = await request('/v1/graphql', { headers: browser })
  assert.equal(status, 200)
  assert.match(text, /start the server with <code>--enable-graphiql/)
  const asked = await request(url('{ __typename }'), { headers: { ...browser, 'sec-fetch-site': 'none' } })
  assert.match(asked.text, /required, but not found/)
  // A cross-site link runs nothing.
  const led = await request(url('{ __typename }'), { headers: { ...browser, 'sec-fetch-site': 'cross-site' } })
  assert.match(led.text, /This is a GraphQL endpoint/)
})

test('the hasura dialect answers GET only with events and the page', async (t) => {
  const { request } = await startLibrary(t, { settings: { dialect: 'hasura' } })
  const missing = { path: '$', error: 'resource does not exist', code: 'not-found' }
  for (const path of ['/v1/graphql', url('{ __typename }'), url(mutation)]) {
    const { status, body } = await request(path)
    assert.deepEqual([status, body], [404, missing])
  }
  const page = await request('/v1/graphql', { headers: browser })
  assert.match(page.text, /This is a GraphQL endpoint/)
  assert.doesNotMatch(page.text, /in the URL/)
  const untyped = await request('/v1/graphql', {
    headers: { 'content-type': 'text/plain' },
    body: { query: '{ __typename }' },
  })
  assert.deepEqual(untyped.body, { data: { __typename: 'query_root' } })
})

test('a body without a content type is refused, and a malformed one has its status', async (t) => {
  const { request } = await startLibrary(t)
  const body = { query: '{ __typename }' }
  const untyped = await request('/v1/graphql', { headers: { 'content-type': 'text/plain;charset=UTF-8' }, body })
  const message = 'the Content-Type of a GraphQL request has to be application/json'
  assert.deepEqual(
    [untyped.status, untyped.body],
    [415, { errors: [{ extensions: { path: '$', code: 'invalid-headers' }, message }] }],
  )
  // Sent as curl does it.
  const form = await request('/v1/graphql', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
  assert.equal(form.status, 200)
  const broken = await request<{ errors: { extensions: { code: string } }[] }>('/v1/graphql', { body: '{' })
  assert.deepEqual([broken.status, broken.body.errors[0]!.extensions.code], [400, 'invalid-json'])
})
