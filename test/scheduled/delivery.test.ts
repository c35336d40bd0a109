import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOther } from '../auth/other-server.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const inThePast = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

interface Sent {
  readonly id: string
  readonly name: string | null
  readonly scheduled_time: string
  readonly payload: unknown
  readonly comment: string | null
  readonly created_at: string
}

const bodies = (hook: { readonly received: readonly { readonly body: string }[] }): Sent[] =>
  hook.received.map(({ body }) => JSON.parse(body))

test('a one-off event is sent at its time, as it was given', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, sql } = await startTrellis(t)
  process.env['TEST_SCHEDULED_HOST'] = hook.url
  const schedule_at = new Date(Date.now() + 1500).toISOString()
  const headers = [{ name: 'X-Path', value_from_env: 'PATH' }]
  const given = { webhook: `${hook.url}/{{HOME}}`, schedule_at, headers, comment: 'once' }
  const { event_id } = await op<{ event_id: string }>('create_scheduled_event', { ...given, payload: { n: 0.1 } })
  const [sent] = await eventually(() => hook.received.length === 1 && bodies(hook))
  assert.ok(Date.now() >= Date.parse(schedule_at), 'not before its time')
  const { created_at, scheduled_time, ...rest } = sent!
  assert.deepEqual(rest, { id: event_id, name: null, payload: { n: 0.1 }, comment: 'once' })
  assert.equal(Date.parse(scheduled_time), Date.parse(schedule_at))
  assert.ok(Date.parse(created_at) >= Date.parse(schedule_at))
  assert.equal(hook.received[0]?.path, `/${process.env['HOME']}`)
  assert.equal(hook.received[0]?.headers['x-path'], process.env['PATH'])
  const read = () => op<{ events: { status: string; tries: number }[] }>('get_scheduled_events', { type: 'one_off' })
  await eventually(async () => (await read()).events[0]?.status === 'delivered')
  const log = await op<{ invocations: object[]; count: number }>('get_scheduled_event_invocations', {
    type: 'one_off',
    event_id,
  })
  assert.equal(log.count, 1)
  assert.deepEqual(await sql('select status from trellis.hdb_scheduled_event_invocation_logs'), [{ status: 200 }])
})

test('a late event is sent within its tolerance, and dead beyond it', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, sql } = await startTrellis(t)
  const retry_conf = { tolerance_seconds: 3600 }
  await op('create_scheduled_event', { webhook: hook.url, schedule_at: inThePast(60), retry_conf, payload: 'late' })
  await op('create_scheduled_event', {
    webhook: hook.url,
    schedule_at: inThePast(7200),
    retry_conf,
    payload: 'too late',
  })
  await eventually(
    async () =>
      (await sql(`select from trellis.hdb_scheduled_events where status in ('dead', 'delivered')`)).length === 2,
  )
  assert.deepEqual(
    bodies(hook).map(({ payload }) => payload),
    ['late'],
  )
  const dead = await sql(`select status, tries from trellis.hdb_scheduled_events where status = 'dead'`)
  assert.deepEqual(dead, [{ status: 'dead', tries: 0 }])
})

test('a failure is retried as configured; an event that cannot be sent ends as an error with a reason', async (t) => {
  const hook = await startOther(t, () => ({ status: hook.received.length < 3 ? 503 : 200 }))
  const { op, sql } = await startTrellis(t)
  const soon = { schedule_at: inThePast(0) }
  const retry_conf = { num_retries: 2, retry_interval_seconds: 0.1 }
  await op('create_scheduled_event', { webhook: hook.url, retry_conf, ...soon })
  await op('create_scheduled_event', { webhook: 'http://{{NO_SUCH}}', retry_conf, ...soon })
  const settled = () =>
    sql(`select status, tries from trellis.hdb_scheduled_events where status in ('error', 'delivered') order by 1`)
  await eventually(async () => (await settled()).length === 2)
  assert.deepEqual(await settled(), [
    { status: 'delivered', tries: 3 },
    { status: 'error', tries: 1 },
  ])
  const [failed] = await sql(
    `select l.status, response from trellis.hdb_scheduled_event_invocation_logs l
     join trellis.hdb_scheduled_events e on e.id = event_id where e.status = 'error'`,
  )
  const message = 'Value for environment variables not found: NO_SUCH'
  assert.deepEqual(failed, { status: 500, response: { type: 'client_error', data: { message }, version: '1' } })
})

/** Moves occurrences of a trigger into the past, as if the server had been away. */
const missed = (seconds: readonly number[]) => `insert into trellis.hdb_cron_events (trigger_name, scheduled_time)
  select 'tick', now() - make_interval(secs => s) from unnest('{${seconds.join()}}'::float8[]) s`

const tick = (webhook: string) => ({
  name: 'tick',
  webhook,
  schedule: '0 0 1 1 *',
  include_in_metadata: true,
  payload: [1],
  comment: 'New year',
  retry_conf: { tolerance_seconds: 3600 },
})

test('missed ticks are sent once by one of three instances, or dropped when too late', async (t) => {
  const hook = await startOther(t, () => ({}))
  const first = await startTrellis(t)
  await first.op('create_cron_trigger', tick(hook.url))
  await Promise.all([1, 2].map(() => startTrellis(t, { database: first.database })))
  await first.sql(`${missed([10, 20, 30, 7200])}; notify trellis_delivery, 'cron'`)
  const statuses = () =>
    first.sql(`select status, count(*)::int as n from trellis.hdb_cron_events group by 1 order by 1`)
  await eventually(async () => {
    const open = await first.sql(`select from trellis.hdb_cron_events
      where scheduled_time < now() and status not in ('dead', 'delivered')`)
    return open.length === 0
  })
  assert.deepEqual(await statuses(), [
    { status: 'dead', n: 1 },
    { status: 'delivered', n: 3 },
    { status: 'scheduled', n: 100 },
  ])
  assert.equal(hook.received.length, 3)
  const [{ name, payload, comment }] = bodies(hook) as [Sent]
  assert.deepEqual({ name, payload, comment }, { name: 'tick', payload: [1], comment: 'New year' })
})

test('an instance without the variable leaves ticks to those that have it, and looks for them when it can send them', async (t) => {
  const hook = await startOther(t, () => ({}))
  process.env['TEST_SCHEDULED_URL'] = hook.url
  const first = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  await first.op('create_cron_trigger', tick('{{TEST_SCHEDULED_URL}}'))
  delete process.env['TEST_SCHEDULED_URL']
  const without = await startTrellis(t, { database: first.database })
  const notified = `notify trellis_delivery, 'cron'`
  await first.sql(`${missed([10])}; ${notified}`)
  const open = () =>
    first.sql('select status, next_retry_at from trellis.hdb_cron_events where scheduled_time < now() order by 1')
  // By then its lease would have been released.
  await sleep(1000)
  assert.deepEqual(await open(), [{ status: 'scheduled', next_retry_at: null }])
  process.env['TEST_SCHEDULED_URL'] = hook.url
  const second = await startTrellis(t, { database: first.database })
  await eventually(() => hook.received.length === 1)
  await second.engine.close()
  await first.sql(`${missed([20])}; ${notified}`)
  await without.op('create_cron_trigger', { ...tick(hook.url), replace: true })
  await eventually(async () => (await open()).every(({ status }) => status === 'delivered'))
  assert.equal(hook.received.length, 2)
})

test('a new schedule from an instance without the variable applies to instances with it', async (t) => {
  process.env['TEST_SCHEDULED_URL'] = 'http://localhost'
  const server = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  const given = { ...tick('{{TEST_SCHEDULED_URL}}'), schedule: '0 0 * * *' }
  await server.op('create_cron_trigger', given)
  delete process.env['TEST_SCHEDULED_URL']
  const without = await startTrellis(t, { database: server.database, settings: { eventsFetchBatchSize: 0 } })
  const times = async () => {
    const upcoming = `select scheduled_time at time zone 'UTC' as time from trellis.hdb_cron_events`
    return server.sql(`select distinct time::time::text from (${upcoming}) as each`)
  }
  await without.op('create_cron_trigger', { ...given, schedule: '30 12 * * *', replace: true })
  assert.deepEqual(await times(), [{ time: '12:30:00' }])
  const cron_triggers = [{ ...given, schedule: '30 18 * * *', timezone: 'Asia/Kathmandu' }]
  const metadata = { version: 2, tables: [], cron_triggers }
  await without.op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  assert.deepEqual(await times(), [{ time: '12:45:00' }])
})

test('ticks missed for longer than the planned ones are made up for within the tolerance', async (t) => {
  const hook = await startOther(t, () => ({}))
  const first = await startTrellis(t)
  const schedule = '*/2 * * * *'
  const retry_conf = { tolerance_seconds: 5 * 3600 }
  await first.op('create_cron_trigger', { ...tick(hook.url), schedule, retry_conf })
  await first.sql(`update trellis.hdb_cron_events set scheduled_time = scheduled_time - interval '7 hours'`)
  // Of 7 hours 5 are within the tolerance; the planned occurrences were due in the first 200 minutes.
  const second = await startTrellis(t, { database: first.database })
  const made = `select count(*)::int as n from trellis.hdb_cron_events`
  await eventually(async () => {
    const [row] = await second.sql(`${made} where status = 'delivered'`)
    return Math.abs(Number(row?.['n']) - 150) <= 2
  })
  const [dead] = await second.sql(`${made} where status = 'dead'`)
  assert.ok(Math.abs(Number(dead?.['n']) - 60) <= 2)
  const [upcoming] = await second.sql(`${made} where scheduled_time > now()`)
  // A plan made just after an occurrence adds as many once more.
  assert.ok([100, 199].includes(Number(upcoming?.['n'])), `${upcoming?.['n']} are planned`)
  const [gap] = await second.sql(`select max(next - scheduled_time)::text as longest from
    (select scheduled_time, lead(scheduled_time) over (order by scheduled_time) as next from trellis.hdb_cron_events) as e`)
  assert.equal(gap?.['longest'], '00:02:00')
})

test('a trigger that is removed and created in one bulk starts afresh', async (t) => {
  const { op, sql } = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  const given = { ...tick('http://localhost'), schedule: '0 * * * *' }
  await op('create_cron_trigger', given)
  await sql(missed([10, 20]))
  const removed = { type: 'delete_cron_trigger', args: { name: 'tick' } }
  await op('bulk', [removed, { type: 'create_cron_trigger', args: given }])
  const [count] = await sql(
    'select count(*)::int as n, count(*) filter (where scheduled_time < now())::int as missed from trellis.hdb_cron_events',
  )
  assert.deepEqual(count, { n: 100, missed: 0 })
})

test('documents add and remove triggers, except those excluded from metadata', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, opError, sql } = await startTrellis(t)
  await op('create_cron_trigger', { ...tick(hook.url), name: 'hidden', include_in_metadata: false })
  await op('replace_metadata', { version: 2, tables: [], cron_triggers: [tick(hook.url)] })
  const planned = () =>
    sql('select trigger_name as name, count(*)::int as n from trellis.hdb_cron_events group by 1 order by 1')
  assert.deepEqual(await planned(), [
    { name: 'hidden', n: 100 },
    { name: 'tick', n: 100 },
  ])
  const { status } = await opError('replace_metadata', {
    version: 2,
    tables: [],
    cron_triggers: [{ ...tick(hook.url), name: 'hidden' }],
  })
  assert.equal(status, 400)
  await op('clear_metadata', {})
  assert.deepEqual(await planned(), [{ name: 'hidden', n: 100 }])
})
