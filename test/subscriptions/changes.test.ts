import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import type { LogEntry } from '../../sdk/services.ts'
import { withTemplate } from '../../sdk/testing/postgres.ts'
import { atEnd } from '../support/cleanup.ts'
import { connectTo, testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { embeddedPrograms, makePostgres } from '../support/own-postgres.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

/** The interval is too long to show changes during the test. */
const settings = { liveQueries: 'changes', liveQueriesRefetchInterval: 600_000 } as const

interface Hearing extends TestTrellis {
  /** The first log line about live queries. */
  readonly means: unknown
}

async function startHearing(t: TestContext, options: TrellisOptions = {}): Promise<Hearing> {
  const known = Promise.withResolvers<unknown>()
  const log = (entry: LogEntry) => {
    if (entry.type === 'live-queries') known.resolve(entry.detail)
  }
  const observe: Observer = { ...silentObserver, log }
  const trellis = await startTrellis(t, { observe, settings, sql: librarySql, ...options })
  await trellis.op('bulk', trackLibrary)
  return { ...trellis, means: await known.promise }
}

/** The library in a separate PostgreSQL; by default its log cannot be decoded. */
async function startApart(
  t: TestContext,
  parameters: Readonly<Record<string, string>>,
  apart: TrellisOptions['settings'] = settings,
): Promise<Hearing> {
  const server = await makePostgres({ programs: await embeddedPrograms(), parameters })
  atEnd(t, () => server.remove())
  await server.start()
  const { template, stop } = await withTemplate({ url: server.url, stop: async () => {} })
  atEnd(t, () => stop().catch(() => {}))
  const database = await testDatabase(t, { server: { url: server.url, template } })
  return startHearing(t, { database, sql: librarySql, settings: apart })
}

const titles = 'subscription { book(order_by: {id: asc}) { title } }'

const lastTitles = (items: readonly unknown[]) =>
  (items.at(-1) as { data: { book: { title: string }[] } }).data.book.map(({ title }) => title)

test('writes by plain SQL are seen at once, by decoding the log', async (t) => {
  const trellis = await startHearing(t)
  assert.deepEqual(trellis.means, { mode: 'changes', means: 'decoding' })
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, titles)
  await received.atLeast(1)
  for (let i = 0; i < 20; i++) {
    await trellis.sql(`update book set title = 'T${i}' where id = 1`)
    await received.until((items) => lastTitles(items)[0] === `T${i}`)
  }
  await trellis.sql('truncate book')
  await received.until((items) => lastTitles(items).length === 0)
})

test('a write during the lookup of the tables of a new subscription is not missed', async (t) => {
  const trellis = await startHearing(t)
  const client = graphqlWsClient(t, trellis.url)
  const known = subscribeWith(client, titles)
  await known.atLeast(1)
  await trellis.sql(`update book set title = 'T0' where id = 1`)
  await known.until((items) => lastTitles(items)[0] === 'T0')
  // Only the lookup of read tables reads the policies of rows.
  const holder = await connectTo(t, trellis.database.url)
  await holder.query('begin; lock table pg_catalog.pg_policy in access exclusive mode')
  const fresh = subscribeWith(client, 'subscription { book(order_by: {id: desc}) { title } }')
  await fresh.atLeast(1)
  await trellis.sql(`update book set title = 'T1' where id = 1`)
  await known.until((items) => lastTitles(items)[0] === 'T1')
  await holder.query('commit')
  await fresh.until((items) => lastTitles(items).at(-1) === 'T1')
})

test('a write causes statements only for subscribers that read the table, also through views and relationships', async (t) => {
  const trellis = await startHearing(t)
  await trellis.sql(`
    create table unrelated (id int primary key);
    create table "odd ""one" (id int primary key) partition by range (id);
    create table part partition of "odd ""one" for values from (0) to (100);
    create view named as select p.id, p.name from publisher p where exists (select from book b where b.publisher_id = p.id)`)
  await trellis.op('bulk', [
    { type: 'track_table', args: 'unrelated' },
    { type: 'track_table', args: { table: 'odd "one', configuration: { custom_name: 'odd' } }, version: 2 },
    { type: 'track_table', args: 'named' },
  ])
  const client = graphqlWsClient(t, trellis.url)
  const view = subscribeWith(client, 'subscription { named(order_by: {id: asc}) { id } }')
  const partitions = subscribeWith(client, 'subscription { odd { id } }')
  const nested = subscribeWith(client, 'subscription { publisher(order_by: {id: asc}) { books { id } } }')
  for (const each of [view, partitions, nested]) await each.atLeast(1)
  await trellis.sql('insert into unrelated values (1)')
  await trellis.sql('insert into part values (5)')
  await partitions.atLeast(2)
  await trellis.sql(`insert into book (title, publisher_id) values ('Gale', 3)`)
  await Promise.all([view.atLeast(2), nested.atLeast(2)])
  assert.deepEqual(view.items.at(-1), { data: { named: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
})

test('changes are decoded again after a lost connection, and none is missed', async (t) => {
  const trellis = await startHearing(t)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), titles)
  await received.atLeast(1)
  await trellis.sql(`select pg_terminate_backend(active_pid) from pg_replication_slots
    where database = current_database() and active_pid is not null`)
  await trellis.sql(`update book set title = 'Unheard' where id = 1`)
  await received.until((items) => lastTitles(items)[0] === 'Unheard')
  await trellis.sql(`update book set title = 'Heard' where id = 1`)
  await received.until((items) => lastTitles(items)[0] === 'Heard')
})

test('a commit that waits for a standby is seen as soon as other sessions see it', async (t) => {
  const trellis = await startApart(t, { wal_level: 'logical' })
  assert.deepEqual(trellis.means, { mode: 'changes', means: 'decoding' })
  const received = subscribeWith(graphqlWsClient(t, trellis.url), titles)
  await received.atLeast(1)
  await trellis.sql(`update book set title = 'T0' where id = 1`)
  await received.until((items) => lastTitles(items)[0] === 'T0')
  const [setter, writer] = [await connectTo(t, trellis.database.url), await connectTo(t, trellis.database.url)]
  const setStandby = async (name: string) => {
    await setter.query(`alter system set synchronous_standby_names = '${name}'`)
    await setter.query('select pg_reload_conf()')
  }
  atEnd(t, () => setStandby(''))
  await setStandby('nobody')
  const heard = `select from pg_settings where name = 'synchronous_standby_names' and setting = 'nobody'`
  await eventually(async () => (await writer.query(heard)).rowCount === 1)
  // Commits wait once the checkpointer has read the setting, which it does before its work.
  await setter.query('checkpoint')
  const waiting = writer.query(`update book set title = 'T1' where id = 1`)
  const waits = `select from pg_stat_activity where wait_event = 'SyncRep' and query like 'update book%'`
  await eventually(async () => (await setter.query(waits)).rowCount === 1)
  // Decoding has reported it since, and nothing else.
  await sleep(1000)
  assert.equal(lastTitles(received.items)[0], 'T0')
  await setStandby('')
  await waiting
  await received.until((items) => lastTitles(items)[0] === 'T1')
})

test('a slot is dropped when its server ends', async (t) => {
  const trellis = await startHearing(t)
  const slots = () => trellis.sql('select slot_name from pg_replication_slots where database = current_database()')
  assert.equal((await slots()).length, 1)
  await trellis.engine.close()
  await eventually(async () => (await slots()).length === 0)
})

test('a slot whose creation waits for a transaction is abandoned when the server ends', async (t) => {
  const database = await testDatabase(t, { sql: librarySql })
  const holder = await connectTo(t, database.url)
  await holder.query(`begin; update book set title = 'Held' where id = 1`)
  const trellis = await startTrellis(t, { database, settings })
  const making = `select from pg_stat_activity
    where datname = current_database() and query like 'CREATE_REPLICATION_SLOT%' and wait_event = 'transactionid'`
  await eventually(async () => (await trellis.sql(making)).length === 1)
  await trellis.engine.close()
  await eventually(async () => (await trellis.sql(making)).length === 0)
  await holder.query('rollback')
})

test('without logical decoding the server polls, and the log has the reason', async (t) => {
  const settings = { liveQueries: 'changes', liveQueriesRefetchInterval: 200 } as const
  const trellis = await startApart(t, {}, settings)
  const reason = 'logical decoding requires "wal_level" >= "logical"'
  const { mode, reason: told } = trellis.means as { mode: string; reason: string }
  assert.deepEqual([mode, told.replaceAll('"', '')], ['poll', reason.replaceAll('"', '')])
  const received = subscribeWith(graphqlWsClient(t, trellis.url), titles)
  await received.atLeast(1)
  await trellis.sql(`update book set title = 'T0' where id = 1`)
  await received.until((items) => lastTitles(items)[0] === 'T0')
})
