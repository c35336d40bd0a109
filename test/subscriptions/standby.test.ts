// Live queries of a server on a standby.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from '../support/database.ts'
import { startPair } from '../support/standby.ts'
import { startTrellis } from '../support/trellis.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

interface Notes {
  readonly data: { readonly note: readonly { readonly id: number }[] }
}

test('subscribers of a standby see each commit, whatever else runs on the primary', async (t) => {
  const { primary, standby } = await startPair(t)
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => connectTo(t, primary.url)))
  const sql = async () => []
  const onPrimary = await startTrellis(t, { database: { url: primary.url, sql } })
  await first!.query('create table note (id int primary key)')
  await onPrimary.op('track_table', 'note')
  await onPrimary.engine.close()
  const { rows } = await first!.query('select pg_current_wal_lsn()::text as place')
  const follower = await connectTo(t, standby.url)
  for (;;) {
    const reached = 'select from pg_last_wal_replay_lsn() as place where place >= $1::pg_lsn'
    if ((await follower.query(reached, [rows[0].place])).rowCount === 1) break
  }
  const trellis = await startTrellis(t, { database: { url: standby.url, sql } })
  const query = 'subscription { note(order_by: {id: asc}) { id } }'
  const received = subscribeWith(graphqlWsClient(t, trellis.url), query)
  await received.atLeast(1)
  await first!.query('begin; insert into note values (1)')
  await second!.query('begin; insert into note values (2)')
  await third!.query('insert into note values (3)')
  await received.atLeast(2)
  await second!.query('commit')
  const items = await received.atLeast(3)
  assert.deepEqual((items.at(-1) as Notes).data.note, [{ id: 2 }, { id: 3 }])
  await first!.query('commit')
})
