// Three servers deliver the changes of a table while they are killed again and again, and PostgreSQL is restarted. The
// webhook's events are compared with the committed changes. `npm run soak` does it at full size.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Received, startOther } from '../auth/other-server.ts'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { embeddedPrograms, makePostgres, type OwnPostgres } from '../support/own-postgres.ts'
import { spawnTrellis, type TrellisProcess } from '../support/process.ts'

const isSoak = process.env['SOAK'] !== undefined
const size = isSoak ? { changes: 20_000, kills: 10, restarts: 2 } : { changes: 1500, kills: 4, restarts: 1 }
const instances = 3
/** The events that one instance may be delivering when it is killed. */
const concurrency = 20
const leaseMillis = 30_000

const sql = `
  create table account (id int primary key, balance int not null);
  insert into account select n, 0 from generate_series(1, 50) n;
  -- What was committed, in the words of events.
  create table history (change uuid primary key, account_id int not null);
  alter table account add column change uuid`

const args = (url: string) => [
  ...['serve', '--database-url', url, '--server-port', '0', '--server-host', '127.0.0.1'],
  ...['--events-http-pool-size', String(concurrency), '--events-fetch-batch-size', String(concurrency)],
]

/** Keeps three servers running, and kills one of them on request. */
async function startCluster(t: TestContext, url: string) {
  const start = () => spawnTrellis(t, args(url))
  const servers: TrellisProcess[] = Array.from({ length: instances }, start)
  const base = await servers[0]!.ready()
  await Promise.all(servers.map((server) => server.ready()))
  return {
    base,
    async kill() {
      const at = Math.floor(Math.random() * servers.length)
      const server = servers[at]!
      server.kill('SIGKILL')
      await server.ended
      const again = start()
      servers[at] = again
      // It may find PostgreSQL on its way down or up.
      await again.ready().catch(() => again.ready())
    },
    async stop() {
      for (const server of servers) server.kill('SIGTERM')
      for (const server of servers) assert.equal((await server.ended).code, 0)
    },
  }
}

type Sql = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>

/** Runs SQL on a connection that is replaced when it was lost; the caller repeats lost statements. */
function reconnecting(t: TestContext, url: string): Sql {
  let client: pg.Client | null = null
  const forget = () => {
    client = null
  }
  atEnd(t, async () => client?.end())
  return async <Row extends Record<string, unknown>>(text: string) => {
    try {
      if (!client) {
        const made = new pg.Client({ connectionString: url })
        made.on('error', forget)
        await made.connect()
        client = made
      }
      const { rows } = await client.query<Row>(text)
      return rows
    } catch (error) {
      forget()
      throw error
    }
  }
}

/** Changes accounts, one in ten times for nothing; a change that PostgreSQL's end took along is made again as another one. */
async function change(sql: Sql, count: number): Promise<void> {
  for (let i = 0; i < count; ) {
    const id = 1 + Math.floor(Math.random() * 50)
    const change = randomUUID()
    const end = Math.random() < 0.1 ? 'rollback' : 'commit'
    const text = `begin;
      update account set balance = balance + 1, change = '${change}' where id = ${id};
      insert into history values ('${change}', ${id}); ${end}`
    const isDone = await sql(text).then(
      () => true,
      () => false,
    )
    if (isDone) i++
    else await sleep(100)
  }
}

async function ownPostgres(t: TestContext): Promise<OwnPostgres> {
  const postgres = await makePostgres({ programs: await embeddedPrograms() })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  return postgres
}

/** The balances of each account that a webhook received; each change adds one. */
function balancesOf(received: readonly Received[]): Map<number, number[]> {
  const balances = new Map<number, number[]>()
  for (const { body } of received) {
    const { id, balance } = JSON.parse(body).event.data.new
    balances.set(id, [...(balances.get(id) ?? []), balance])
  }
  return balances
}

test('all committed changes are delivered although servers are killed', { timeout: 600_000 }, async (t) => {
  const postgres = await ownPostgres(t)
  const read = reconnecting(t, postgres.url)
  await read(sql)
  const answer = async () => {
    await sleep(Math.random() * 20)
    return Math.random() < 0.02 ? { status: 500 } : {}
  }
  const [hook, orderedHook] = [await startOther(t, answer), await startOther(t, answer)]
  const cluster = await startCluster(t, postgres.url)
  const { op } = clientOf(cluster.base)
  await op('track_table', 'account')
  const trigger = {
    ...{ table: 'account', update: { columns: ['change'] } },
    retry_conf: { num_retries: 20, interval_sec: 0 },
  }
  await op('create_event_trigger', { ...trigger, name: 'changed', webhook: hook.url })
  await op('create_event_trigger', { ...trigger, name: 'in_order', webhook: orderedHook.url, ordering_key: ['id'] })
  const writers = Array.from({ length: 4 }, () => change(reconnecting(t, postgres.url), size.changes / 4))
  const killer = (async () => {
    for (let i = 0; i < size.kills; i++) {
      await sleep(300 + Math.random() * 700)
      await cluster.kill()
    }
  })()
  const restarter = (async () => {
    for (let i = 0; i < size.restarts; i++) {
      await sleep(1500 + Math.random() * 1500)
      await postgres.stop(i % 2 === 0 ? 'fast' : 'immediate')
      await sleep(300)
      await postgres.start()
    }
  })()
  await Promise.all([...writers, killer, restarter])
  // Events of a killed server are delivered when its lease has expired. No claim lasts longer than two leases.
  const open = () => read('select from trellis.event_log where not delivered or locked is not null')
  for (let [left, least, since] = [await open(), Infinity, Date.now()]; left.length > 0; left = await open()) {
    if (left.length < least) [least, since] = [left.length, Date.now()]
    assert.ok(Date.now() - since < 2 * leaseMillis, 'nothing more was delivered for two leases')
    await sleep(200)
  }
  await cluster.stop()
  const committed = await read<{ change: string }>('select change::text from history')
  const changeOf = (body: string): string => JSON.parse(body).event.data.new.change
  const sent = hook.received.map(({ body }) => changeOf(body))
  const wanted = new Set(committed.map((row) => row.change))
  assert.deepEqual(
    sent.filter((each) => !wanted.has(each)),
    [],
    'changes that were rolled back',
  )
  assert.equal(new Set(sent).size, wanted.size, 'changes that were not delivered')
  // The log lacks only attempts that a kill cut off between request and record: one of an event with each kill.
  const log = await read<{ id: string; change: string; attempts: number }>(`
    select id, payload #>> '{data,new,change}' as change,
      (select count(*)::int from trellis.event_invocation_logs where event_id = e.id) as attempts
    from trellis.event_log as e where trigger_name = 'changed'`)
  const requests = Map.groupBy(hook.received, ({ body }) => JSON.parse(body).id as string)
  let unrecorded = 0
  for (const { id, attempts } of log) {
    const cutOff = (requests.get(id)?.length ?? 0) - attempts
    assert.ok(attempts > 0 && cutOff >= 0 && cutOff <= size.kills, `${cutOff} attempts of ${id} are not in the log`)
    unrecorded += cutOff
  }
  assert.equal(new Set(log.map((row) => row.change)).size, wanted.size, 'the event log and the table differ')
  // Events in flight at a kill are repeated, and no later event of the account comes before that.
  for (const [id, balances] of balancesOf(orderedHook.received)) {
    assert.deepEqual(
      balances,
      balances.toSorted((a, b) => a - b),
      `the order of account ${id}`,
    )
    assert.equal(new Set(balances).size, balances.at(-1), `changes of account ${id}`)
  }
  t.diagnostic(
    `${wanted.size} changes, ${hook.received.length} requests, ${unrecorded} of them cut off by ${size.kills} kills`,
  )
})

test('a stopping server waits for slow webhooks, and leaves no lease', async (t) => {
  const database = await testDatabase(t, { sql: 'create table town (id int primary key)' })
  const hook = await startOther(t, async () => {
    await sleep(1500)
    return {}
  })
  const server = spawnTrellis(t, [
    ...['serve', '--database-url', database.url, '--server-port', '0', '--server-host', '127.0.0.1'],
    ...['--graceful-shutdown-timeout', '20'],
  ])
  const { op } = clientOf(await server.ready())
  await op('track_table', 'town')
  await op('create_event_trigger', { name: 'told', table: 'town', webhook: hook.url, insert: { columns: '*' } })
  await database.sql('insert into town select generate_series(1, 50)')
  while (hook.received.length < 50) await sleep(20)
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
  const states = await database.sql(
    'select delivered, tries, locked, count(*)::int as n from trellis.event_log group by 1, 2, 3',
  )
  assert.deepEqual(states, [{ delivered: true, tries: 1, locked: null, n: 50 }])
  assert.deepEqual(await database.sql('select count(*)::int as n from trellis.event_invocation_logs'), [{ n: 50 }])
})
