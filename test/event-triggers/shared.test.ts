// Event triggers of a table that do the same on a change share a database trigger: each still has its own events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { type Shop, startShop } from './shop.ts'

const nothing = { insert: null, update: null, delete: null }
const all = { columns: '*' }

const placed = async ({ sql }: Shop) => {
  const rows = await sql<{ name: string }>(
    `select tgname::text as name from pg_trigger where not tgisinternal order by tgname`,
  )
  return rows.map(({ name }) => name)
}

/** Inserts an order, and gives the triggers that recorded it, in the order of the log. */
const recordedBy = async ({ sql }: Shop, id: number) => {
  const rows = await sql<{ name: string }>(`
    insert into orders (id, total, state) values (${id}, 1.50, 'new');
    select trigger_name as name from trellis.event_log where payload -> 'data' -> 'new' ->> 'id' = '${id}' order by seq`)
  return rows.map(({ name }) => name)
}

const deaf = { settings: { eventsFetchBatchSize: 0 } }

test('events of triggers that share a function have the same payload and each its own state', async (t) => {
  const shop = await startShop(t)
  for (const name of ['c', 'a', 'b']) await shop.trigger({ name })
  await shop.sql(`insert into orders (id, total, details) values (1, 1.50, '{"n": 1e3}');
    update orders set total = 2; delete from orders`)
  const events = await shop.events(9)
  const payloads = Map.groupBy(events, ({ trigger }) => trigger.name)
  assert.deepEqual([...payloads.keys()].sort(), ['a', 'b', 'c'])
  const sent = (name: string) =>
    payloads
      .get(name)!
      .map(({ event }) => JSON.stringify(event))
      .sort()
  assert.deepEqual(sent('a'), sent('b'))
  assert.deepEqual(sent('a'), sent('c'))
  assert.equal(new Set(events.map(({ id }) => id)).size, 9)
  assert.deepEqual(await placed(shop), ['trellis_a_DELETE', 'trellis_a_INSERT', 'trellis_a_UPDATE'])
})

test('triggers with other conditions, payloads or keys have a function of their own', async (t) => {
  const shop = await startShop(t, deaf)
  await shop.trigger({ ...nothing, name: 'a', insert: all })
  await shop.trigger({ ...nothing, name: 'b', insert: all })
  await shop.trigger({ ...nothing, name: 'keyed', insert: all, ordering_key: ['state'] })
  await shop.trigger({ ...nothing, name: 'large', insert: { ...all, when: { new: { total: { _gt: 100 } } } } })
  await shop.trigger({ ...nothing, name: 'short', insert: { ...all, payload: ['id'] } })
  assert.deepEqual(await placed(shop), [
    ...['trellis_a_INSERT', 'trellis_keyed_INSERT', 'trellis_large_INSERT', 'trellis_short_INSERT'],
  ])
  assert.deepEqual(await recordedBy(shop, 1), ['a', 'b', 'keyed', 'short'])
  await shop.trigger({ ...nothing, name: 'b', insert: { ...all, payload: ['id'] }, replace: true })
  assert.deepEqual(await placed(shop), [
    ...['trellis_a_INSERT', 'trellis_b_INSERT', 'trellis_keyed_INSERT', 'trellis_large_INSERT'],
  ])
  assert.deepEqual(await recordedBy(shop, 2), ['a', 'b', 'short', 'keyed'])
})

test('the other triggers continue when the first trigger of a function leaves it', async (t) => {
  const shop = await startShop(t, deaf)
  for (const name of ['a', 'b', 'c']) await shop.trigger({ ...nothing, name, insert: all })
  await shop.op('delete_event_trigger', { name: 'a' })
  assert.deepEqual(await placed(shop), ['trellis_b_INSERT'])
  assert.deepEqual(await recordedBy(shop, 1), ['b', 'c'])
  await shop.op('delete_event_trigger', { name: 'c' })
  assert.deepEqual(await recordedBy(shop, 2), ['b'])
  await shop.sql('drop function trellis."trellis_b_INSERT" cascade')
  await shop.op('reload_metadata', {})
  assert.deepEqual(await recordedBy(shop, 3), ['b'])
  await shop.op('delete_event_trigger', { name: 'b' })
  assert.deepEqual(await placed(shop), [])
})

test('one of them is paused and resumed while a transaction has written to the table', async (t) => {
  const shop = await startShop(t)
  for (const name of ['a', 'b']) await shop.trigger({ ...nothing, name, insert: all })
  const writer = await connectTo(t, shop.database.url)
  await writer.query('begin; insert into orders (id) values (1)')
  await shop.op('pause_event_trigger', { name: 'a' })
  await shop.sql('insert into orders (id) values (2)')
  assert.deepEqual(
    (await shop.events(1)).map(({ trigger }) => trigger.name),
    ['b'],
  )
  await shop.op('resume_event_trigger', { name: 'a' })
  await shop.events(2)
  await writer.query('commit')
  await shop.events(4)
})

test('events of an inconsistent trigger are recorded as before while others change', async (t) => {
  const observed = { settings: { ...deaf.settings } }
  process.env['SHARED_HOOK'] = 'http://127.0.0.1:9/'
  const shop = await startShop(t, observed)
  for (const name of ['a', 'c']) await shop.trigger({ ...nothing, name, insert: all })
  await shop.trigger({ ...nothing, name: 'b', insert: all, webhook: undefined, webhook_from_env: 'SHARED_HOOK' })
  await shop.engine.close()
  delete process.env['SHARED_HOOK']
  const again = await startShop(t, { ...observed, database: shop.database })
  assert.deepEqual(await recordedBy(again, 1), ['a', 'b', 'c'])
  await again.op('delete_event_trigger', { name: 'a' })
  assert.deepEqual(await recordedBy(again, 2), ['b', 'c'])
  await again.trigger({ ...nothing, name: 'c', insert: { ...all, payload: ['id'] }, replace: true })
  assert.deepEqual(await recordedBy(again, 3), ['b', 'c'])
  await again.op('delete_event_trigger', { name: 'c' })
  await again.op('reload_metadata', {})
  assert.deepEqual(await recordedBy(again, 4), ['b'])
  await again.op('delete_event_trigger', { name: 'b' })
  await eventually(async () => (await placed(again)).length === 0)
})
