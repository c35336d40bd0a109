// A server that is killed while many write: its subscribers go on at another one, or where it is started again, and what it
// left in PostgreSQL hurts nobody.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTemplate } from '../../sdk/testing/postgres.ts'
import { atEnd } from '../support/cleanup.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { embeddedPrograms, makePostgres } from '../support/own-postgres.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, type Received, subscribeWith } from './clients.ts'

const isSoak = process.env['SOAK'] !== undefined

type Means = 'poll' | 'decoding' | 'triggers'

/** A database of the library; for triggers in a PostgreSQL whose log cannot be decoded. */
async function libraryFor(t: TestContext, means: Means): Promise<TestDatabase> {
  if (means !== 'triggers') return testDatabase(t, { sql: librarySql })
  const postgres = await makePostgres({ programs: await embeddedPrograms() })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  const { template } = await withTemplate({ url: postgres.url, stop: async () => {} })
  return testDatabase(t, { server: { url: postgres.url, template }, sql: librarySql })
}

/** The slots, triggers and functions by which servers follow changes. */
const kept = async (database: TestDatabase) => {
  const [row] = await database.sql<{ slots: number; triggers: number; functions: number }>(`select
    (select count(*)::int from pg_replication_slots where database = current_database()) as slots,
    (select count(*)::int from pg_trigger where tgname = 'trellis_change') as triggers,
    (select count(*)::int from pg_proc where proname = 'notify_of_change') as functions`)
  return row!
}

const subscription = 'subscription { book(order_by: {id: asc}) { pages } }'

interface State {
  readonly data: { readonly book: readonly { readonly pages: number }[] } | null
}

const pagesOf = (item: unknown): readonly number[] => (item as State).data?.book.map(({ pages }) => pages) ?? []

/** All that was seen was in the database, and the last of it is what is there. */
async function converged(received: Received, last: number): Promise<void> {
  const items = await received.until((all) => pagesOf(all.at(-1))[0] === last, 30_000)
  for (const item of items) assert.ok(new Set(pagesOf(item)).size <= 1, JSON.stringify(item))
}

async function survive(t: TestContext, means: Means): Promise<void> {
  const database = await libraryFor(t, means)
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
  // Where it is not, all go to the other one.
  const isRestarted = isSoak && means !== 'triggers'
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
  const left = { poll: [0, 0], decoding: [isRestarted ? 2 : 1, 0], triggers: [0, 1] }[means]
  await eventually(async () => {
    const { slots, triggers } = await kept(database)
    return slots === left[0] && triggers === left[1]
  })
  // Changes are still followed, without waiting for the interval.
  await database.sql('update book set pages = -1')
  await Promise.all(received.map((each) => each.until((items) => pagesOf(items.at(-1))[0] === -1, 20_000)))
  await Promise.all(clients.map((client) => client.dispose()))
  if (means !== 'triggers') return
  await other.engine.close()
  assert.deepEqual(await kept(database), { slots: 0, triggers: 0, functions: 0 })
}

/** `npm run soak` takes all of them. */
const all: readonly Means[] = isSoak ? ['poll', 'decoding', 'triggers'] : ['poll', 'decoding']

for (const means of all) {
  test(`Subscribers of a server that is killed go on (${means}).`, (t) => survive(t, means))
}
