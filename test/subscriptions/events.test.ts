// Server-sent events: a stream for each operation, and one for all.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLibrary } from '../support/library.ts'
import { graphqlSseClient, startGuarded, subscribeWith } from './clients.ts'

const first = { data: { book: [{ title: 'Dawn' }] } }
const query = '{ book(where: {id: {_eq: 1}}) { title } }'
const events = { accept: 'text/event-stream' }

for (const singleConnection of [false, true]) {
  const mode = singleConnection ? 'over a stream that all operations share' : 'over a stream of its own'
  test(`a query and a subscription are answered ${mode}`, async (t) => {
    const trellis = await startLibrary(t)
    const client = graphqlSseClient(t, trellis.url, { singleConnection })
    const answered = subscribeWith(client, query)
    assert.deepEqual(await answered.atLeast(2), [first, 'complete'])
    const received = subscribeWith(client, `subscription ${query}`)
    await received.atLeast(1)
    await trellis.sql(`update book set title = 'Dusk' where id = 1`)
    assert.deepEqual(await received.atLeast(2), [first, { data: { book: [{ title: 'Dusk' }] } }])
    const refused = subscribeWith(client, 'subscription { nothing }')
    const [result] = (await refused.atLeast(2)) as [{ errors: { message: string }[] }]
    assert.equal(result.errors[0]!.message, `field "nothing" not found in type: 'subscription_root'`)
  })
}

test('an event stream sends the same bytes by POST and by GET', async (t) => {
  const trellis = await startLibrary(t)
  const expected = `:\n\nevent: next\ndata: ${JSON.stringify(first)}\n\nevent: complete\ndata: \n\n`
  const posted = await trellis.request('/v1/graphql', { headers: events, body: { query } })
  assert.deepEqual([posted.status, posted.text], [200, expected])
  assert.equal(posted.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const got = await trellis.request(`/v1/graphql?query=${encodeURIComponent(query)}`, { headers: events })
  assert.deepEqual([got.status, got.text], [200, expected])
})

test('line ends in JSON do not end the data of an event', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(
    `create table note (id int primary key, content json); insert into note values (1, E'{"a":\\n\\r 1}')`,
  )
  await trellis.op('track_table', 'note')
  const { text } = await trellis.request('/v1/graphql', { headers: events, body: { query: '{ note { content } }' } })
  assert.match(text, /^event: next\ndata: \{"data":\{"note":\[\{"content":\{"a":\s+1\}\}\]\}\}$/m)
})

test('a GET request for events runs no mutation', async (t) => {
  const trellis = await startLibrary(t)
  const mutation = encodeURIComponent('mutation { delete_book(where: {}) { affected_rows } }')
  const { status, headers, body } = await trellis.request(`/v1/graphql?query=${mutation}`, { headers: events })
  const error = 'mutations are not run by GET'
  assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  assert.deepEqual(body, { path: '$', error, code: 'method-not-allowed' })
})

test('a client is authenticated before a stream is opened', async (t) => {
  const trellis = await startGuarded(t)
  const refused = await trellis.request('/v1/graphql', { headers: events, body: { query } })
  assert.equal(refused.status, 401)
  assert.match(refused.text, /required, but not found/)
  const reserved = await trellis.request('/v1/graphql', { method: 'PUT' })
  assert.equal(reserved.status, 401)
})

test('a stream that was not reserved is not found, and a reserved one opens once', async (t) => {
  const trellis = await startLibrary(t)
  const none = { 'x-graphql-event-stream-token': 'none' }
  const missing = await trellis.request('/v1/graphql', { headers: { ...events, ...none } })
  assert.deepEqual([missing.status, missing.body], [404, { path: '$', error: 'stream not found', code: 'not-found' }])
  const reserved = await trellis.request('/v1/graphql', { method: 'PUT' })
  assert.equal(reserved.status, 201)
  const headers = { ...events, 'x-graphql-event-stream-token': reserved.text }
  const stream = await fetch(`${trellis.url}/v1/graphql`, { headers })
  assert.equal(stream.status, 200)
  const again = await trellis.request('/v1/graphql', { headers })
  assert.deepEqual(
    [again.status, again.body],
    [409, { path: '$', error: 'stream already open', code: 'already-exists' }],
  )
  const run = async (token: string, body: object) => {
    const headers = { 'x-graphql-event-stream-token': token }
    const answer = await trellis.request<{ errors?: { message: string }[] }>('/v1/graphql', { headers, body })
    return [answer.status, answer.text === '' ? null : answer.body.errors?.[0]?.message]
  }
  const named = { query: `subscription ${query}`, extensions: { operationId: '1' } }
  assert.deepEqual(await run(reserved.text, { query }), [400, 'extensions.operationId is missing'])
  assert.deepEqual(await run(reserved.text, named), [202, null])
  assert.deepEqual(await run(reserved.text, named), [409, 'operation with ID "1" already exists'])
  assert.deepEqual(await run('none', named), [404, 'stream not found'])
  await stream.body?.cancel()
})

test('a stream whose client takes no results starts no more operations until it does', async (t) => {
  const { url, sql, op } = await startLibrary(t)
  await sql(`create table page as select id, repeat('x', 100000) as text from generate_series(1, 2) id`)
  await op('track_table', 'page')
  for (const isOpen of [false, true]) {
    // An open stream has the buffers of its connection as well.
    const [count, most] = isOpen ? [100, 99] : [20, 4]
    const reserved = await fetch(`${url}/v1/graphql`, { method: 'PUT' })
    const token = { 'x-graphql-event-stream-token': await reserved.text() }
    const open = () => fetch(`${url}/v1/graphql`, { headers: { ...events, ...token } })
    const unread = isOpen ? await open() : null
    let started = 0
    const start = async (id: number) => {
      const body = JSON.stringify({ query: '{ page { id text } }', extensions: { operationId: `${id}` } })
      const headers = { ...token, 'content-type': 'application/json' }
      const { status } = await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body })
      assert.equal(status, 202)
      started++
    }
    const all = Promise.all(Array.from({ length: count }, (_, id) => start(id)))
    await sleep(1000)
    const early = started
    const stream = unread ?? (await open())
    let received = ''
    const reading = (async () => {
      for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
        received += chunk
        if (received.split('event: complete').length > count) return
      }
    })()
    await all
    await reading
    assert.ok(early <= most, `${early} of ${count}`)
    assert.equal(received.split('event: next').length - 1, started)
  }
})

test('an operation that waits for its stream does not start after its client has left', async (t) => {
  const { url, sql, op } = await startLibrary(t)
  await sql(`create table page as select repeat('x', 400000) as text; create table mark (id int primary key)`)
  for (const name of ['page', 'mark']) await op('track_table', name)
  const reserved = await fetch(`${url}/v1/graphql`, { method: 'PUT' })
  const token = await reserved.text()
  const start = (query: string, operationId: string, signal: AbortSignal | null = null) =>
    fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-graphql-event-stream-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ query, extensions: { operationId } }),
      signal,
    })
  assert.equal((await start('{ page { text } }', '1')).status, 202)
  const leaving = AbortSignal.timeout(500)
  const insert = 'mutation { insert_mark_one(object: {id: 1}) { id } }'
  await assert.rejects(start(insert, '2', leaving), { name: 'TimeoutError' })
  // The server sees the end of the connection after the client does.
  await sleep(300)
  const stream = await fetch(`${url}/v1/graphql`, { headers: { ...events, 'x-graphql-event-stream-token': token } })
  assert.equal((await start('{ mark { id } }', '3')).status, 202)
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let received = ''
  while (!received.includes('complete\ndata: {"id":"3"}')) received += (await reader.read()).value
  assert.ok(received.includes('{"id":"3","payload":{"data":{"mark":[]}}}'), received.slice(-200))
  await reader.cancel()
})

test('a client that accepts events and JSON gets events for subscriptions, and JSON for everything else', async (t) => {
  const { url } = await startLibrary(t)
  const ask = (query: string) =>
    fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
      },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(10_000),
    })
  const answered = await ask('{ __typename }')
  assert.equal(answered.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8')
  assert.deepEqual(await answered.json(), { data: { __typename: 'query_root' } })
  assert.equal((await ask('{ nothing }')).headers.get('content-type')?.startsWith('application/graphql-resp'), true)
  const subscribed = await ask('subscription { __typename }')
  assert.equal(subscribed.headers.get('content-type')?.startsWith('text/event-stream'), true)
  await subscribed.body?.cancel()
})
