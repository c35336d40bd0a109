// Subscriptions through a proxy that pools transactions: they are polled, since neither notifications nor the log pass the proxy.

import assert from 'node:assert/strict'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import type { LogEntry } from '../../sdk/services.ts'
import { testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { pooledTest, startPgBouncer } from '../support/pgbouncer.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

const query = 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }'
const titled = (title: string) => ({ data: { book_by_pk: { title } } })

for (const liveQueries of ['poll', 'changes'] as const) {
  pooledTest(`Subscribers behind PgBouncer see what is written, by whomever (${liveQueries}).`, async (t) => {
    const direct = await testDatabase(t, { sql: librarySql })
    const database = { ...direct, url: await startPgBouncer(t, direct.url) }
    const settings = { usePreparedStatements: false, liveQueries, liveQueriesRefetchInterval: 200 }
    const means: unknown[] = []
    const log = (entry: LogEntry) => {
      if (entry.type === 'live-queries') means.push(entry.detail)
    }
    const observe: Observer = { ...silentObserver, log }
    const trellis = await startTrellis(t, { database, settings, observe })
    await trellis.op('bulk', trackLibrary)
    const other = await startTrellis(t, { database, settings })
    const client = graphqlWsClient(t, trellis.url)
    const received = Array.from({ length: 20 }, (_, i) => subscribeWith(client, query, { id: (i % 3) + 1 }))
    await Promise.all(received.map((each) => each.atLeast(1)))
    const [first] = received
    for (let i = 0; i < 10; i++) {
      const title = `T${i}`
      const rename = `mutation { update_book_by_pk(pk_columns: {id: 1}, _set: {title: "${title}"}) { id } }`
      if (i % 3 === 0) await direct.sql('update book set title = $1 where id = 1', [title])
      else await (i % 3 === 1 ? trellis : other).graphql(rename)
      await first!.until((items) => JSON.stringify(items.at(-1)) === JSON.stringify(titled(title)))
    }
    assert.deepEqual(first!.items.length, 11)
    assert.deepEqual(received[1]!.items, [titled('Ebb')])
    await client.dispose()
    if (liveQueries === 'poll') return assert.deepEqual(means, [])
    const { mode, reason } = await eventually(() => means[0] as { mode: string; reason: string } | undefined)
    assert.equal(mode, 'poll')
    assert.match(reason, /replication/)
  })
}
