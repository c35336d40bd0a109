import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis } from '../support/trellis.ts'

test('a large answer arrives whole, and the next one on the same connection', async (t) => {
  const { op, url, sql } = await startTrellis(t, { sql: 'create table page (id int primary key, content text)' })
  await op('track_table', 'page')
  await sql(`insert into page select n, repeat(n::text, 2000000 / length(n::text)) from generate_series(1, 3) n`)
  const ask = async (query: string) => {
    const response = await fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: JSON.stringify({ query }),
    })
    const text = await response.text()
    assert.equal(response.headers.get('content-length'), String(text.length))
    return JSON.parse(text)
  }
  for (let i = 0; i < 3; i++) {
    const { data } = await ask('{ page(order_by: {id: asc}) { id content } }')
    const contents = data.page.map(({ content }: { content: string }) => content)
    assert.deepEqual(contents, ['1'.repeat(2_000_000), '2'.repeat(2_000_000), '3'.repeat(2_000_000)])
    assert.deepEqual(await ask('{ page_by_pk(id: 2) { id } }'), { data: { page_by_pk: { id: 2 } } })
  }
})

test('a client that disconnects during a large answer affects no other client', async (t) => {
  const { op, url, sql, graphql } = await startTrellis(t, {
    sql: 'create table page (id int primary key, content text)',
  })
  await op('track_table', 'page')
  await sql(`insert into page values (1, repeat('x', 30000000))`)
  for (let i = 0; i < 3; i++) {
    const leaving = new AbortController()
    const response = await fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: JSON.stringify({ query: '{ page { content } }' }),
      signal: leaving.signal,
    })
    await response.body!.getReader().read()
    leaving.abort()
  }
  assert.deepEqual(await graphql('{ page { id } }'), { data: { page: [{ id: 1 }] } })
})
