// Results of asynchronous calls while the database is away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyError, connectionError } from '../../core/database/wire/postgres-errors.ts'
import { ActionLog } from '../../plugins/actions/action-log.ts'
import type { Database } from '../../sdk/sql.ts'

test('the answer of a webhook is kept until the database stores it', async () => {
  const errors = [busyError(1, null), connectionError(new Error('gone'))]
  const written: unknown[][] = []
  const rows = async (_text: string, values: unknown[]) => {
    const error = errors.shift()
    if (error) throw error
    written.push(values)
    return [{ id: '1' }]
  }
  const log = new ActionLog({ rows: rows as unknown as Database['rows'] })
  assert.equal(await log.complete('1', { n: 1 }, new AbortController().signal), true)
  assert.deepEqual(
    written.map(([id, , value]) => [id, value]),
    [['1', '{"n":1}']],
  )
})

test('a stopping server, or one that lost its lease, gives up', async () => {
  const controller = new AbortController()
  const gone = connectionError(new Error('gone'))
  const rows = async () => {
    controller.abort()
    throw gone
  }
  const log = new ActionLog({ rows })
  await assert.rejects(log.complete('1', { n: 1 }, controller.signal), gone)
})
