// Statements that still run in PostgreSQL when a server ends: they would keep their locks, also that of the metadata.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeGate, gateSql } from '../support/gate.ts'
import { startTrellis } from '../support/trellis.ts'

test('unfinished work of a stopping server keeps no other server waiting', async (t) => {
  const first = await startTrellis(t, { sql: `create table note (id int primary key); ${gateSql}` })
  const { database } = first
  const second = await startTrellis(t, { database })
  const gate = await closeGate(t, database)
  const sql = 'alter table note add column text text; select wait_at_gate()'
  const change = first.request('/v1/query', { body: { type: 'run_sql', args: { sql } } }).catch(() => null)
  await gate.waiting(1)
  await first.engine.close()
  await change
  await second.op('track_table', 'note')
  const columns = `select column_name as name from information_schema.columns where table_name = 'note'`
  assert.deepEqual(await database.sql(columns), [{ name: 'id' }])
})
