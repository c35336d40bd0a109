// A server is killed during many writes: its subscribers continue at another server, or at its successor, and its
// remains in PostgreSQL do no harm.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, type Received, subscribeWith } from './clients.ts'

const isSoak = process.env['SOAK'] !== undefined

type Means = 'poll' | 'decoding'

/** The slots with which servers follow changes. */
const slotsOf = async (database: TestDatabase) => {
  const [row] = await database.sql<{ slots: number }>(
    'select count(*)::int as slots from pg_replication_slots where database = current_database()',
  )
  return row!.slots
}

const subscription = 'subscription { book(order_by: {id: asc}) { pages } }'

interface State {
  readonly data: { readonly book: readonly { readonly pages: number }[] } | null
}

const pagesOf = (item: unknown): readonly number[] => (item as State).data?.book.map(({ pages }) => pages) ?? []

/** Every value that was seen was in the database, and the last one is still there. */
async function converged(received: Received, last: number): Promise<void> {
  const items = await received.until((all) => pagesOf(all.at(-1))[0] === last, 30_000)
  for (const item of items) assert.ok(new Set(pagesOf(item)).size <= 1, JSON.stringify(item))
}

async function survive(t: TestContext, means: Means): Promise<void> {
  const database = await testDatabase(t, { sql: librarySql })
  await database.sql('update book set pages = 0')
  const liveQueries = means === 'poll' ? 'poll' : 'changes'
  const settings = { liveQueries, liveQueriesRefetchInterval: means === 'poll' ? 200 : 60_000 } as const
  const other = await startTrellis(t, { database, settings })
  await other.op('bulk', trackLibrary)
  const start = (port: string) =>
    spawnTrellis(t, [
      ...['serve', '--database-url', database.url, '--server-host', '127.0.0.1', '--server-port', port],
      ...['--live-queries', liveQueries],
      ...['--live-queries-multiplexed-refetch-interval', String(settings.liveQueriesRefetchInterval)],
    ])
  const killed = start('0')
  const url = await killed.ready()
  const socketOf = (base: string) => `${base.replace('http', 'ws')}/v1/graphql`
  let isDead = false
  const comeBack = { retryAttempts: 1000, retryWait: () => sleep(50), shouldRetry: () => true }
  // If the server is gone, all clients go to the other one.
  const isRestarted = isSoak
  const clients = [
    graphqlWsClient(t, other.url),
    graphqlWsClient(t, url, { ...comeBack, url: () => socketOf(isDead ? other.url : url) }),
    ...(isRestarted ? [graphqlWsClient(t, url, comeBack)] : []),
  ]
  const received = clients.map((client) => subscribeWith(client, subscription))
  await Promise.all(received.map((each) => each.atLeast(1)))

  let pages = 0
  let isWriting = true
  const write = async () => {
    for (; isWriting; await sleep(10)) {
      await database.sql(`update book set pages = ${++pages}`)
      const mutation = `mutation { update_book(where: {}, _set: {pages: ${++pages}}) { affected_rows } }`
      await other.graphql(mutation)
    }
  }
  const kill = async () => {
    await sleep(300)
    killed.kill('SIGKILL')
    await killed.ended
    isDead = true
    if (isRestarted) await start(new URL(url).port).ready()
    await sleep(300)
    isWriting = false
  }
  await Promise.all([write(), kill()])
  await Promise.all(received.map((each) => converged(each, pages)))
  const left = { poll: 0, decoding: isRestarted ? 2 : 1 }[means]
  await eventually(async () => (await slotsOf(database)) === left)
  // Changes are still followed, without waiting for the interval.
  await database.sql('update book set pages = -1')
  await Promise.all(received.map((each) => each.until((items) => pagesOf(items.at(-1))[0] === -1, 20_000)))
  await Promise.all(clients.map((client) => client.dispose()))
}

for (const means of ['poll', 'decoding'] as const) {
  test(`subscribers of a killed server reconnect and reach the last state (${means})`, (t) => survive(t, means))
}
