// Many changes, none of which waits for the notifications of others.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/waiting.ts'
import { type Shop, startShop } from './shop.ts'

/** A connection beside the server's. */
async function connection(t: TestContext, { database }: Shop): Promise<pg.Client> {
  const client = new pg.Client(database.url)
  await client.connect()
  atEnd(t, () => client.end())
  return client
}

/** The number of notifications about events, by writers of the tables and by instances. */
interface Notified {
  readonly byWriter: number
  readonly byInstances: number
}

/** Tells that since it was asked before. */
async function notifications(t: TestContext, shop: Shop): Promise<() => Promise<Notified>> {
  const [writer] = await shop.sql<{ pid: number }>('select pg_backend_pid() as pid')
  const client = await connection(t, shop)
  let from: number[] = []
  client.on('notification', ({ payload, processId }) => {
    if (payload === 'events') from.push(processId)
  })
  await client.query('listen trellis_delivery')
  return async () => {
    await client.query('select')
    const byWriter = from.filter((pid) => pid === writer!.pid).length
    const notified = { byWriter, byInstances: from.length - byWriter }
    from = []
    return notified
  }
}

const isWatched = async ({ sql }: Pick<Shop, 'sql'>): Promise<boolean> => {
  const [row] = await sql<{ watched: boolean }>(
    'select last_value > extract(epoch from clock_timestamp()) * 1000 as watched from trellis.event_log_watched',
  )
  return row!.watched
}

/** Delivers enough events to make its instance watch; repeats that if it took too long. */
const makeWatched = (shop: Shop) =>
  eventually(async () => {
    const before = shop.hook.received.length
    await shop.sql(
      `insert into orders (id) select (select coalesce(max(id), 0) from orders) + n from generate_series(1, 50) n`,
    )
    await shop.events(before + 50)
    return isWatched(shop)
  })

/**
 * Runs work that begins and ends while the log is watched. On a slow machine the instance may stop watching in between; then `work` may
 * report that, and it runs again.
 */
const whileWatched = (shop: Shop, work: () => Promise<unknown>) =>
  eventually(async () => {
    await makeWatched(shop)
    const wasWatched = await work()
    return wasWatched !== false && isWatched(shop)
  })

test('writers do not notify a busy instance; nothing waits, and afterwards they notify again', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const notified = await notifications(t, shop)
  await whileWatched(shop, async () => {
    await notified()
    const before = shop.hook.received.length
    for (let i = 1; i <= 10; i++) await shop.sql('insert into orders (id) select max(id) + 1 from orders')
    await shop.events(before + 10)
    return (await notified()).byWriter === 0
  })
  // The instance may watch once more just before a change.
  await eventually(async () => {
    if (await isWatched(shop)) return false
    await notified()
    const before = shop.hook.received.length
    await shop.sql('insert into orders (id) select max(id) + 1 from orders')
    await shop.events(before + 1)
    return (await notified()).byWriter === 1
  })
})

test('an event written during the watch and committed later is delivered soon', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const client = await connection(t, shop)
  await whileWatched(shop, async () => {
    await client.query('rollback; begin')
    await client.query('insert into orders (id) values (-1)')
  })
  await eventually(async () => !(await isWatched(shop)))
  await sleep(1000)
  const before = shop.hook.received.length
  await client.query('commit')
  const committed = Date.now()
  await shop.events(before + 1)
  assert.ok(Date.now() - committed < 4500)
})

test('a watching instance notifies the others, which may have room that it lacks', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const notified = await notifications(t, shop)
  await makeWatched(shop)
  assert.ok((await notified()).byInstances > 0)
})

test('a stopping instance withdraws its announcement and wakes the others', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const notified = await notifications(t, shop)
  await whileWatched(shop, notified)
  await shop.engine.close()
  assert.equal(await isWatched(shop), false)
  assert.ok((await notified()).byInstances > 0)
})

test('writers notify although the clock was set back', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const notified = await notifications(t, shop)
  await shop.sql(
    `select setval('trellis.event_log_watched', (extract(epoch from clock_timestamp()) * 1000)::bigint + 3600000)`,
  )
  await shop.sql('insert into orders (id) values (1)')
  await shop.events(1)
  assert.equal((await notified()).byWriter, 1)
})
