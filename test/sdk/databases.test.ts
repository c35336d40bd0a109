import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { makeDatabase } from '../../sdk/testing/postgres.ts'
import { testPostgres } from '../support/database.ts'

test('a database is dropped although a replication slot is in use', async (t) => {
  const { url, drop } = await makeDatabase(await testPostgres())
  const client = new pg.Client({ connectionString: url })
  const lost = new Promise((done) => client.on('error', done))
  await client.connect()
  t.after(() => client.end())
  await client.query(`select pg_create_logical_replication_slot('decoding', 'pgoutput', true)`)
  await drop()
  await lost
  await assert.rejects(new pg.Client({ connectionString: url }).connect(), /does not exist/)
})
