// Subscribers of other tables while a table is locked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Limiter } from '../../plugins/subscriptions/live/groups/limiter.ts'
import { connectTo } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

test('subscribers of a locked table do not delay the others', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table held (id int primary key, a int, b int);
      create table free (id int primary key, n int);
      insert into free values (1, 0)`,
    settings: { connections: 44 },
  })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'held' },
    { type: 'track_table', args: 'free' },
  ])
  const client = graphqlWsClient(t, trellis.url)
  const statements = ['id', 'a', 'b', 'id a', 'id b', 'a b'].map((fields) => `subscription { held { ${fields} } }`)
  const held = statements.map((query) => subscribeWith(client, query))
  const free = subscribeWith(client, 'subscription { free { n } }')
  await Promise.all([free, ...held].map((each) => each.atLeast(1)))
  const holder = await connectTo(t, trellis.database.url)
  await holder.query('begin; lock table held')
  await trellis.sql('update free set n = 1')
  assert.deepEqual((await free.atLeast(2))[1], { data: { free: [{ n: 1 }] } })
  const other = subscribeWith(client, 'subscription { free { id n } }')
  assert.deepEqual(await other.atLeast(1), [{ data: { free: [{ id: 1, n: 1 }] } }])
  await holder.query('insert into held values (1, 2, 3); commit')
  for (const each of held) await each.atLeast(2)
})

test('a long statement moves to the places for long statements while there is room', async () => {
  const limiter = new Limiter({ places: 1, longPlaces: 1, longMillis: 10, percent: 100 })
  const caller = { connection: {}, session: '', network: '' }
  const begun: string[] = []
  const work = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = limiter.run([caller], () => {
      begun.push(name)
      return promise
    })
    return async () => {
      resolve()
      await done
      await nextTurn()
    }
  }
  const ends = ['a', 'b', 'c', 'd'].map(work)
  assert.deepEqual(begun, ['a'])
  await sleep(40)
  assert.deepEqual(begun, ['a', 'b'])
  // On a busy machine "b" began just now; it is long before "a" ends.
  await sleep(40)
  await ends[0]!()
  assert.deepEqual(begun, ['a', 'b', 'c'])
  await ends[1]!()
  await sleep(40)
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
  await ends[2]!()
  await ends[3]!()
  const last = work('e')
  assert.equal(begun.at(-1), 'e')
  await last()
})
