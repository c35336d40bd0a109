// Databases in encodings that lack some characters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { connectTo, type TestDatabase, testPostgres } from '../support/database.ts'
import { dropDatabase, onServer, urlOfDatabase } from '../support/postgres.ts'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

test('answers of webhooks may contain characters that the encoding of the database lacks', async (t) => {
  const { url: server } = await testPostgres()
  const name = `test_latin_${process.pid}`
  await onServer(server, `create database ${name} encoding 'LATIN1' template template0 locale 'C'`)
  atEnd(t, () => dropDatabase(server, name))
  const url = urlOfDatabase(server, name)
  const client = await connectTo(t, url)
  const sql: TestDatabase['sql'] = async (text) => (await client.query(text)).rows
  await sql('create table orders (id int primary key, state text)')
  const answer = { body: '5 € ✓' }
  const shop = await startShop(t, { database: { url, sql }, answer: () => answer })
  await shop.op('track_table', 'orders')
  await shop.trigger()
  await sql(`insert into orders values (1, 'Käse')`)
  const delivered = 'select payload::text from trellis.event_log where delivered and tries = 1'
  await eventually(async () => (await sql(delivered)).length === 1)
  const [attempt] = await shop.op<{ response: { data: { body: string } } }[]>('pg_get_event_invocation_logs', {
    name: 'order',
  })
  assert.equal(attempt?.response.data.body, answer.body)
  await shop.engine.close()
})
