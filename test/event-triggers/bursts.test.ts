// Many events at once for a receiver that takes few connections.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

test('a thousand events at once reach a receiver with a queue of five connections, without a retry', async (t) => {
  const receiver = fork(new URL('../outgoing/small-receiver.ts', import.meta.url))
  atEnd(t, () => void receiver.kill('SIGKILL'))
  const [port] = await once(receiver, 'message')
  const shop = await startShop(t)
  await shop.trigger({ webhook: `http://127.0.0.1:${port}/` })
  await shop.sql('insert into orders (id) select generate_series(1, 1000)')
  const outcomes = () =>
    shop.sql<{ delivered: boolean; error: boolean; tries: number; count: string }>(
      'select delivered, error, tries, count(*) from trellis.event_log group by 1, 2, 3',
    )
  await eventually(async () => (await outcomes()).every(({ delivered, error }) => delivered || error))
  assert.deepEqual(await outcomes(), [{ delivered: true, error: false, tries: 1, count: '1000' }])
})
