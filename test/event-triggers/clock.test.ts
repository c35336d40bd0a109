// The database's clock is set back: here by an hour, seen from the rows that were written before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

test('events written before the clock was set back are delivered', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ ordering_key: ['state'] })
  await shop.sql(`alter table trellis.event_log alter created_at set default now() + interval '1 hour'`)
  await shop.sql(`insert into orders (id, state) values (1, 'new'), (2, 'new'), (3, 'sent')`)
  await shop.sql('alter table trellis.event_log alter created_at set default now()')
  const events = await shop.events(3)
  assert.deepEqual(events.map(({ event }) => event.data.new?.id).sort(), [1, 2, 3])
})

test('events that a killed server had leased before the clock was set back are delivered', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  await shop.sql(`begin;
    insert into orders (id) values (1);
    update trellis.event_log set locked = now() + interval '1 hour', locked_by = 'killed';
    commit`)
  await shop.events(1)
  await shop.op('create_scheduled_event', { webhook: shop.hook.url, schedule_at: '2100-01-01T00:00:00Z' })
  await shop.sql(`update trellis.hdb_scheduled_events set scheduled_time = now(), status = 'locked',
    locked = now() + interval '1 hour', locked_by = 'killed'`)
  await shop.sql(`select pg_notify('trellis_delivery', 'one-off')`)
  await eventually(() => shop.hook.received.length === 2)
})
