// Deliveries while the database runs a statement, and its answer is lost with the connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../sdk/sql.ts'
import { atEnd } from '../support/cleanup.ts'
import { everyOther, losing } from '../support/lost-answers.ts'
import { eventually } from '../support/waiting.ts'
import { attemptOf, ledgerOf, workerOn } from './ledgers.ts'
import { type SentEvent, type Shop, startShop } from './shop.ts'

const all = { columns: '*' }

interface Logged extends Row {
  readonly tries: number
  readonly attempts: number
  readonly delivered: boolean
}

const logOf = (shop: Shop) =>
  shop.sql<Logged>(`select tries, delivered, (select count(*)::int from trellis.event_invocation_logs where event_id = e.id) as attempts
    from trellis.event_log as e order by seq`)

const idOf = (body: string): number => {
  const { event }: SentEvent = JSON.parse(body)
  return Number(event.data.new?.['id'])
}

test('events claimed without an answer are claimed again at once, not when their lease ends', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger({ insert: all, update: null, delete: null })
  await shop.sql('insert into orders (id) select generate_series(1, 3)')
  const called: number[] = []
  let claims = 0
  const isLost = everyOther((text) => text.includes('skip locked'))
  const database = await losing(t, shop.database.url, (text) => {
    if (text.includes('skip locked') && called.length === 0) claims++
    return isLost(text)
  })
  const ledger = ledgerOf(shop, database, async (_, { body }) => {
    called.push(idOf(body))
    return attemptOf({ succeeded: true })
  })
  const worker = workerOn(ledger, () => {})
  worker.start()
  await eventually(() => called.length >= 3)
  // As long as the lease lasts there would be many in vain.
  assert.equal(claims, 2)
  await worker.stop(1000)
  assert.deepEqual(called.toSorted(), [1, 2, 3])
})

for (const ordering_key of [undefined, ['state']]) {
  const kind = ordering_key ? 'with an ordering key' : 'without order'
  test(`an attempt counts once, and is logged once, ${kind}`, async (t) => {
    const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
    const retry_conf = { num_retries: 3, interval_sec: 0 }
    await shop.trigger({ insert: all, update: null, delete: null, retry_conf, ...(ordering_key && { ordering_key }) })
    await shop.sql(`insert into orders (id, state) values (1, 'one'), (2, 'one'), (3, 'two')`)
    const called: number[] = []
    // The due event is claimed again before the outcome is recorded a second time.
    const database = await losing(
      ...[t, shop.database.url],
      everyOther((text) => text.includes('event_invocation_logs') || text === 'transaction'),
    )
    const ledger = ledgerOf(shop, database, async (_, { body }) => {
      worker.wake()
      const id = idOf(body)
      called.push(id)
      return attemptOf({ succeeded: called.filter((each) => each === id).length > 3 })
    })
    const worker = workerOn(ledger, () => {})
    const waking = setInterval(() => worker.wake(), 10)
    atEnd(t, () => clearInterval(waking))
    worker.start()
    await eventually(async () => (await logOf(shop)).every(({ delivered }) => delivered))
    clearInterval(waking)
    await worker.stop(1000)
    assert.deepEqual(called.toSorted(), [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    const once = { tries: 4, attempts: 4, delivered: true }
    assert.deepEqual(await logOf(shop), [once, once, once])
  })
}
