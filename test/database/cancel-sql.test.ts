// A cancellation needs no connection of the pool, which the statements to cancel may fill.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('cancel_sql ends a statement while the pool is full', { timeout: 60_000 }, async (t) => {
  const trellis = await startTrellis(t, { settings: { connections: 2, callerShare: 100, poolTimeout: 60 } })
  const run = (id: string, type: string, args: object) =>
    trellis.opError(type, args, { version: 2, headers: { 'x-request-id': id } })
  const running = ['one', 'two', 'waiting'].map((id) =>
    run(id, 'run_sql', { sql: 'select pg_sleep(50)', read_only: true }),
  )
  const named = `select count(*)::int as n from pg_stat_activity where application_name like 'trellis sql %'`
  await eventually(async () => (await trellis.sql<{ n: number }>(named))[0]?.n === 2)
  assert.deepEqual(await trellis.op('cancel_sql', { request_id: 'waiting' }), { cancelled: 0 })
  assert.deepEqual(await trellis.op('cancel_sql', { request_id: 'one' }), { cancelled: 1 })
  assert.match(JSON.stringify((await running[0])?.body), /canceling statement due to user request/)
  await eventually(
    async () => (await trellis.op<{ cancelled: number }>('cancel_sql', { request_id: 'waiting' })).cancelled === 1,
  )
  assert.deepEqual(await trellis.op('cancel_sql', { request_id: 'two' }), { cancelled: 1 })
  const { body } = await trellis.opError('bulk', [{ type: 'cancel_sql', args: { request_id: 'x' } }])
  assert.deepEqual(body, {
    path: '$.args[0]',
    error: '"cancel_sql" cannot be a member of another request',
    code: 'not-supported',
  })
  await Promise.all(running)
})
