// Scheduled events while MongoDB, which may only wake jobs, is away; `npm run soak`: for a minute.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOther } from '../auth/other-server.ts'
import { startMongo } from '../support/mongo.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('without MongoDB due events and changes of tables are delivered once each', async (t) => {
  const mongo = await startMongo(t)
  const hook = await startOther(t, () => ({}))
  const settings = { mongodbUrl: mongo.url }
  const { op, sql, graphql, database } = await startTrellis(t, {
    settings,
    sql: 'create table town (id int primary key)',
  })
  await op('track_table', 'town')
  await op('create_event_trigger', { name: 'told', table: 'town', webhook: hook.url, insert: { columns: '*' } })
  const schedule = '0 0 1 1 *'
  await op('create_cron_trigger', { name: 'tick', webhook: hook.url, schedule, include_in_metadata: true })
  /** Makes planned ticks due, as time would. */
  const tick = (count: number) =>
    sql(`update trellis.hdb_cron_events set scheduled_time = now() - make_interval(secs => place)
      from (select id, row_number() over (order by scheduled_time desc) as place from trellis.hdb_cron_events
        where status = 'scheduled' order by scheduled_time desc limit ${count}) as last
      where last.id = hdb_cron_events.id; notify trellis_delivery, 'cron'`)
  const sent = () => hook.received.map(({ body }) => JSON.parse(body) as { id: string })
  await mongo.kill()
  await tick(2)
  const answer = await graphql('mutation { insert_town(objects: [{id: 1}]) { affected_rows } }')
  assert.deepEqual(answer, { data: { insert_town: { affected_rows: 1 } } })
  await op('create_scheduled_event', { webhook: hook.url, schedule_at: new Date().toISOString() })
  await eventually(() => sent().length === 4)
  // A server starts without MongoDB, and delivers too.
  await startTrellis(t, { settings, database })
  await tick(1)
  await eventually(() => sent().length === 5)
  await mongo.start()
  await tick(1)
  await eventually(() => sent().length === 6)
  const done = `select count(*)::int as n from trellis.hdb_cron_events where status = 'delivered'`
  await eventually(async () => (await sql<{ n: number }>(done))[0]?.n === 4)
  assert.equal(new Set(sent().map(({ id }) => id)).size, 6)
})

/** Milliseconds until the next minute by the clock, plus the given ones. */
const untilMinute = (more: number) => 60_000 - (Date.now() % 60_000) + more

if (process.env['SOAK'] !== undefined)
  test('MongoDB is away for a minute: each tick is delivered once and in time', { timeout: 300_000 }, async (t) => {
    const triggers = 50
    const outage = 60_000
    const mongo = await startMongo(t)
    const arrivals: number[] = []
    const hook = await startOther(t, () => {
      arrivals.push(Date.now())
      return {}
    })
    const settings = { mongodbUrl: mongo.url }
    const first = await startTrellis(t, { settings, sql: 'create table town (id int primary key)' })
    const { op, sql, database } = first
    const others = await Promise.all([1, 2].map(() => startTrellis(t, { settings, database })))
    await op('track_table', 'town')
    await op('create_event_trigger', { name: 'told', table: 'town', webhook: hook.url, insert: { columns: '*' } })
    const tick = { webhook: hook.url, schedule: '* * * * *', include_in_metadata: true }
    for (let i = 0; i < triggers; i++) await op('create_cron_trigger', { name: `tick${i}`, ...tick })
    const createdAt = Date.now()
    let towns = 0
    let isOver = false
    const latencies: number[] = []
    const writing = (async () => {
      for (; !isOver; await sleep(20)) {
        const { graphql } = [first, ...others][towns % 3]!
        const started = performance.now()
        const answer = await graphql(`mutation { insert_town(objects: [{id: ${towns++}}]) { affected_rows } }`)
        latencies.push(performance.now() - started)
        assert.deepEqual(answer, { data: { insert_town: { affected_rows: 1 } } })
      }
    })()
    // A minute with it, more than one without, and one with it again.
    await sleep(untilMinute(40_000))
    await mongo.kill()
    const killedAt = Date.now()
    await sleep(outage)
    await mongo.start()
    const startedAt = Date.now()
    await sleep(untilMinute(10_000))
    isOver = true
    await writing
    const open = `select from trellis.event_log where not delivered
      union all select from trellis.hdb_cron_events where scheduled_time <= now() and status <> 'delivered'`
    await eventually(async () => (await sql(open)).length === 0)
    const received = hook.received.map(({ body }, i) => {
      const { id, name, scheduled_time } = JSON.parse(body) as { id: string; name?: string; scheduled_time?: string }
      return { id, name, due: scheduled_time ? Date.parse(scheduled_time) : null, at: arrivals[i]! }
    })
    assert.equal(new Set(received.map(({ id }) => id)).size, received.length, 'something came twice')
    assert.equal(received.filter(({ name }) => name === undefined).length, towns)
    const ticks = received.flatMap(({ name, due, at }) =>
      due === null || due < createdAt ? [] : [{ name, due, late: at - due }],
    )
    const minutes = [...new Set(ticks.map(({ due }) => due))].sort()
    assert.equal(ticks.length, minutes.length * triggers)
    assert.ok(minutes.some((due) => due > killedAt && due < startedAt))
    for (const [i, due] of minutes.entries()) assert.equal(due, minutes[0]! + i * 60_000)
    const latest = Math.max(...ticks.map(({ late }) => late))
    assert.ok(latest < 5000, `a tick came ${latest} ms late`)
    latencies.sort((a, b) => a - b)
    const p99 = latencies[Math.floor(latencies.length * 0.99)]!
    t.diagnostic(`${ticks.length} ticks in ${minutes.length} minutes, the latest ${latest} ms late; ${towns} changes`)
    t.diagnostic(`p99 of mutations: ${p99.toFixed(1)} ms`)
  })
