// Events so large that only few of them fit into memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../support/connections.ts'
import { eventually } from '../support/waiting.ts'
import { ledgerOf } from './ledgers.ts'
import { startShop } from './shop.ts'

/** Records events of 20 MB each in one transaction. */
const large = (count: number) => `
  alter table trellis.event_log alter payload set storage external;
  insert into orders (id, state) select i, repeat('x', 20 << 20) from generate_series(1, ${count}) i`

test('only as many large events are claimed as fit into memory', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  const { database } = await openDatabase(t, { url: shop.database.url })
  for (const concurrency of [{}, { concurrency: 50 }]) {
    await shop.trigger({ ...concurrency, replace: 'concurrency' in concurrency })
    await shop.sql(
      `alter table orders disable trigger all; delete from orders; alter table orders enable trigger all; delete from trellis.event_log; ${large(3)}`,
    )
    const ledger = ledgerOf(shop, database)
    const claimed: number[] = []
    for (let i = 0; i < 3; i++) {
      claimed.push((await ledger.claim(100, [])).length)
      // The events that were left are claimed at once.
      if (i === 0) assert.equal(ledger.pause(), 0)
    }
    assert.deepEqual(claimed, [2, 1, 0])
  }
})

test('all of them are delivered', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  await shop.sql(large(4))
  await eventually(async () => (await shop.sql('select from trellis.event_log where delivered')).length === 4)
  assert.equal(shop.hook.received.length, 4)
})
