// Invalid cron triggers and one-off events, and odd ones that are valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const refused = (path: string, error: string, code = 'parse-failed') => ({ status: 400, body: { path, error, code } })

const cron = (more: object = {}) => ({
  ...{ name: 'tick', webhook: 'http://localhost:1', schedule: '0 0 1 1 *', include_in_metadata: true },
  ...more,
})

test('invalid cron triggers are refused with the path of the fault, and leave nothing behind', async (t) => {
  const { op, opError, sql } = await startTrellis(t)
  const schedules: Readonly<Record<string, string>> = {
    '* * * *': 'expected five fields of numbers, *, lists, ranges and steps',
    '* * * JAN *': 'expected five fields of numbers, *, lists, ranges and steps',
    constructor: 'expected five fields of numbers, *, lists, ranges and steps',
    '60 * * * *': 'minute 60 is not between 0 and 59',
    '0 0 0 * *': 'day of month 0 is not between 1 and 31',
    '0 0 1,32 * *': 'day of month 32 is not between 1 and 31',
    '* * * 13 *': 'month 13 is not between 1 and 12',
    '* * * * 1-8': 'day of week 8 is not between 0 and 7',
    '*/0 * * * *': 'Syntax error, illegal stepping: 0',
    '0 0 30 2 *': 'it is never due',
  }
  for (const [schedule, reason] of Object.entries(schedules)) {
    const error = `invalid cron expression "${schedule}": ${reason}`
    assert.deepEqual(await opError('create_cron_trigger', cron({ schedule })), refused('$.schedule', error))
  }
  const settings: readonly [retry_conf: object, path: string, error: string][] = [
    [{ num_retries: -1 }, '$.retry_conf', 'num_retries cannot be a negative value'],
    [{ timeout_seconds: 0 }, '$.retry_conf.timeout_seconds', 'negative value not allowed'],
    [{ tolerance_seconds: -1 }, '$.retry_conf.tolerance_seconds', 'negative value not allowed'],
  ]
  for (const [retry_conf, path, error] of settings) {
    assert.deepEqual(await opError('create_cron_trigger', cron({ retry_conf })), refused(path, error))
  }
  const zone = await opError('create_cron_trigger', cron({ timezone: 'Europe/Nowhere' }))
  assert.deepEqual(zone, refused('$.timezone', 'unknown time zone "Europe/Nowhere"'))
  assert.deepEqual(await op('get_cron_triggers', {}), { cron_triggers: [] })
  assert.deepEqual(await sql('select from trellis.hdb_cron_events'), [])
})

test('impossible dates and times are refused', async (t) => {
  const { opError } = await startTrellis(t)
  for (const schedule_at of ['2030-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '2030-01-01T25:00:00Z', '2030-01-01']) {
    const error = `expected a timestamp such as 2026-03-01T09:30:00Z, encountered "${schedule_at}"`
    assert.deepEqual(
      await opError('create_scheduled_event', { webhook: 'http://localhost:1', schedule_at }),
      refused('$.schedule_at', error),
    )
  }
})

test('names of any length and settings of any size do not stop other triggers', async (t) => {
  const { op, sql } = await startTrellis(t)
  const retry_conf = { num_retries: 1e15, tolerance_seconds: 1e15, timeout_seconds: 1e15, retry_interval_seconds: 1e15 }
  for (const name of ['x'.repeat(300), `${'x'.repeat(300)}y`, 'short']) {
    await op('create_cron_trigger', cron({ name, retry_conf }))
  }
  const jobs = async () => (await sql(`select from trellis.job where name like 'cron trigger %'`)).length
  await eventually(async () => (await jobs()) === 3)
  await op('delete_cron_trigger', { name: 'x'.repeat(300) })
  await eventually(async () => (await jobs()) === 2)
})

test('a document cannot add a trigger with the name of one excluded from metadata', async (t) => {
  const { op, opError } = await startTrellis(t)
  await op('create_cron_trigger', cron({ include_in_metadata: false }))
  const message = 'cron trigger with name "tick" already exists as a cron trigger with "included_in_metadata" as false'
  assert.deepEqual(
    await opError('replace_metadata', { version: 2, tables: [], cron_triggers: [cron()] }),
    refused('$.args', message, 'already-exists'),
  )
})

test('a URL with invalid Unicode fails, and does not stop other events', async (t) => {
  process.env['TEST_NOTHING'] = ''
  t.after(() => delete process.env['TEST_NOTHING'])
  const hook = await startOther(t, () => ({}))
  const { op, sql } = await startTrellis(t)
  const schedule_at = new Date().toISOString()
  await op('create_scheduled_event', { webhook: '{{TEST_NOTHING}}http:// \ud800', schedule_at, comment: 'odd' })
  await op('create_scheduled_event', { webhook: hook.url, schedule_at })
  await eventually(() => hook.received.length === 1)
  const failed = `select response #>> '{data,message}' as message from trellis.hdb_scheduled_event_invocation_logs l
    join trellis.hdb_scheduled_events e on e.id = l.event_id where e.status = 'error' and comment = 'odd'`
  const [log] = await eventually(async () => {
    const rows = await sql(failed)
    return rows.length === 1 && rows
  })
  assert.deepEqual(log, { message: 'Only expecting a URL such as https://host/path' })
})

test('an empty list of states means all states', async (t) => {
  const { op } = await startTrellis(t)
  await op('create_scheduled_event', { webhook: 'http://localhost:1', schedule_at: '2999-01-01T00:00:00Z' })
  const read = (status: string[]) => op<{ count: number }>('get_scheduled_events', { type: 'one_off', status })
  assert.equal((await read([])).count, 1)
  assert.equal((await read(['scheduled', 'error'])).count, 1)
  assert.equal((await read(['error'])).count, 0)
})
