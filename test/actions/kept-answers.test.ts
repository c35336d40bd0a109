// Results of asynchronous calls while the database is away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyError, connectionError, translatePostgresError } from '../../core/database/wire/postgres-errors.ts'
import { dialects } from '../../core/names/dialect.ts'
import { ActionLog } from '../../plugins/actions/action-log.ts'
import type { ActionModel } from '../../plugins/actions/metadata.ts'
import { actionWorker } from '../../plugins/actions/worker.ts'
import type { Database } from '../../sdk/sql.ts'
import { eventually } from '../support/waiting.ts'

const waiting = { id: '1', action_name: 'order', input: '{}', headers: [], variables: {} }

/** A worker on a log with one call, whose results the database refuses with these errors; its statements, and their lists of values. */
function startWorker(errors: Error[], value: unknown) {
  const calls = [waiting]
  const [recorded, released]: unknown[][][] = [[], []]
  let made = 0
  const rows = async (text: string, values: unknown[]) => {
    if (text.includes('skip locked')) return calls.splice(0)
    if (text.includes("status = 'created'")) return released!.push(values) && []
    const error = errors.shift()
    if (error) throw error
    recorded!.push(values.slice(1))
    return []
  }
  const worker = actionWorker({
    engine: { dialect: dialects.trellis, observe: { isEnabled: () => false, log: () => {}, flush: () => {} } },
    log: new ActionLog({
      database: { rows: rows as unknown as Database['rows'] },
      actions: () => new Map([['order', { name: 'order' } as ActionModel]]),
      interval: 10,
    }),
    batchSize: 10,
    async run() {
      made++
      return { value }
    },
  })
  worker.start()
  return { worker, recorded: recorded!, released: released!, made: () => made }
}

test('the answer of a webhook is kept until the database stores it', async () => {
  const { worker, recorded, made } = startWorker([busyError(1, null), connectionError(new Error('gone'))], { n: 1 })
  await eventually(() => recorded.length > 0)
  assert.equal(await worker.stop(1000), 0)
  assert.deepEqual(recorded, [[['1'], ['completed'], ['{"n":1}']]])
  assert.equal(made(), 1)
})

test('an answer that the database refuses becomes an error', async () => {
  const refusal = Object.assign(new Error('stack depth limit exceeded'), { code: '54001', severity: 'ERROR' })
  const { worker, recorded } = startWorker([translatePostgresError(refusal, 'update', [])], [[]])
  await eventually(() => recorded.length > 0)
  await worker.stop(1000)
  assert.deepEqual(recorded[0]!.slice(0, 2), [['1'], ['error']])
  const [error] = recorded[0]![2] as [string]
  assert.equal(JSON.parse(error).error, 'stack depth limit exceeded')
})

test('a stopping server gives up recording while the database is away, and releases the call', async () => {
  const away = Array.from({ length: 1000 }, () => connectionError(new Error('gone')))
  const { worker, recorded, released, made } = startWorker(away, 1)
  await eventually(() => made() === 1)
  assert.equal(await worker.stop(10), 1)
  assert.deepEqual(recorded, [])
  assert.deepEqual(released[0]![1], ['1'])
})
