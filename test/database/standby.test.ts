// A primary whose commits wait for a standby: acknowledged changes exist after a failover.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dialects } from '../../core/names/dialect.ts'
import { atEnd } from '../support/cleanup.ts'
import { connectTo, testDatabase } from '../support/database.ts'
import { type Pair, startPair } from '../support/standby.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = `
  create table note (id int primary key);
  create table pair (id int primary key, other int not null);
`

/** Gives up after 0.7 s, by a limit of the server's. */
const hasty = 'hasty'
const patient = 'patient'

async function serve(t: TestContext, { primary }: Pair): Promise<TestTrellis> {
  const client = await connectTo(t, primary.url)
  const sql: TestTrellis['sql'] = async (text, values) => (await client.query(text, values as unknown[])).rows
  await sql(schema)
  const apiLimits = JSON.stringify({ time_limit: { global: 60, per_role: { [hasty]: 0.7 } } })
  const settings = { apiLimits, connections: 40, callerShare: 100 }
  const trellis = await startTrellis(t, { database: { url: primary.url, sql }, settings })
  for (const table of ['note', 'pair']) {
    await trellis.op('track_table', table)
    for (const role of [hasty, patient]) {
      await trellis.op('create_select_permission', { table, role, permission: { columns: '*', filter: {} } })
      await trellis.op('create_insert_permission', { table, role, permission: { columns: '*', check: {} } })
    }
  }
  return trellis
}

/** From now on commits wait for the standby; resolves when it is there. */
async function makeSynchronous({ sql }: TestTrellis): Promise<void> {
  await sql(`alter system set synchronous_standby_names = '*'`)
  await sql('select pg_reload_conf()')
  for (const began = Date.now(); ; await sleep(20)) {
    const rows = await sql(`select from pg_stat_replication where sync_state = 'sync'`)
    if (rows.length > 0) return
    assert.ok(Date.now() - began < 60_000, 'the standby does not come')
  }
}

/** Signals a process that may be gone. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

/** Stops the process that sends to the standby, and returns its id. */
async function stopSender(t: TestContext, { sql }: TestTrellis): Promise<number> {
  const [sender] = await sql<{ pid: number }>('select pid from pg_stat_replication')
  process.kill(sender!.pid, 'SIGSTOP')
  // Work that waits for it ends before the server does.
  atEnd(t, () => signal(sender!.pid, 'SIGCONT'))
  return sender!.pid
}

interface Body {
  readonly errors?: readonly { readonly message: string }[]
}

/** The ways to insert a row, by its number. */
const inserts = [
  {
    what: 'a mutation of one statement',
    path: '/v1/graphql',
    body: (id: number): unknown => ({
      query: 'mutation ($id: Int!) { insert_note_one(object: {id: $id}) { id } }',
      variables: { id },
    }),
  },
  {
    what: 'a mutation of two',
    path: '/v1/graphql',
    body: (id: number): unknown => ({
      query: `mutation ($id: Int!) { insert_note_one(object: {id: $id}) { id }
        insert_pair_one(object: {id: $id, other: $id}) { id } }`,
      variables: { id },
    }),
  },
  {
    what: 'an operation',
    path: '/v1/query',
    body: (id: number): unknown => ({ type: 'insert', args: { table: 'note', objects: [{ id }] } }),
  },
]

interface Behaviour {
  readonly role: string
  /** Milliseconds after which the client disconnects; null: it waits. */
  readonly leaves: number | null
}

const waits: Behaviour = { role: patient, leaves: null }
const isLimited: Behaviour = { role: hasty, leaves: null }
const leaves: Behaviour = { role: patient, leaves: 400 }

/** The number of clients for each kind of insert. */
const clients = 12

/**
 * Inserts of all clients, one after another, until they are stopped; returns the acknowledged ones, and all other
 * answers.
 */
function startInserts(t: TestContext, { url }: TestTrellis, behaviours: readonly Behaviour[]) {
  const acknowledged: number[] = []
  const refusals: { status: number; body: Body }[] = []
  let next = 0
  let stopped = false
  const insert = async ({ path, body }: (typeof inserts)[number], { role, leaves }: Behaviour) => {
    const id = ++next
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [dialects.trellis.roleVariable]: role },
        body: JSON.stringify(body(id)),
        signal: leaves === null ? null : AbortSignal.timeout(leaves),
      })
      const answer = (await response.json()) as Body
      if (response.status === 200 && !answer.errors) acknowledged.push(id)
      else refusals.push({ status: response.status, body: answer })
    } catch {
      // The client has left.
    }
  }
  const client = async (kind: (typeof inserts)[number], behaviour: Behaviour) => {
    while (!stopped) {
      await insert(kind, behaviour)
      await sleep(2)
    }
  }
  const all = inserts.flatMap((kind) =>
    behaviours.flatMap((behaviour) =>
      Array.from({ length: clients / behaviours.length }, () => client(kind, behaviour)),
    ),
  )
  const stop = async () => {
    stopped = true
    await Promise.all(all)
  }
  atEnd(t, stop)
  return { acknowledged, refusals, stop }
}

const crowds = [
  { what: 'when all clients wait', behaviours: [waits] },
  { what: 'when some leave and the time of others is limited', behaviours: [waits, isLimited, leaves] },
]

for (const { what, behaviours } of crowds) {
  test(`every acknowledged insert exists after a failover to the standby, ${what}`, async (t) => {
    const pair = await startPair(t)
    const trellis = await serve(t, pair)
    await makeSynchronous(trellis)
    const load = startInserts(t, trellis, behaviours)
    await eventually(() => load.acknowledged.length > 0)
    await sleep(2000)

    const sender = await stopSender(t, trellis)
    await sleep(4000)
    const { length: refused } = load.refusals

    // The primary is lost: it must not send the rest of its data.
    process.kill(pair.primary.pid, 'SIGKILL')
    signal(sender, 'SIGKILL')
    await load.stop()
    await pair.standby.promote()
    const client = await connectTo(t, pair.standby.url)
    const { rows } = await client.query<{ id: number }>('select id from note')
    const kept = new Set(rows.map(({ id }) => id))
    const lost = load.acknowledged.filter((id) => !kept.has(id))
    assert.deepEqual(lost, [])
    // Clients with a time limit got answers while the standby was away.
    assert.equal(refused > 0, behaviours.includes(isLimited))
  })
}

// A time limit is one of the GraphQL APIs.
for (const { what, path, body } of inserts.filter((insert) => insert.path === '/v1/graphql')) {
  test(`${what} that timed out waiting for the standby is an error, and is kept once the standby is back`, async (t) => {
    const pair = await startPair(t)
    const trellis = await serve(t, pair)
    await makeSynchronous(trellis)
    const insert = (id: number, role: string) => trellis.request<Body>(path, { role, body: body(id) })
    for (let id = 1; id <= 3; id++) assert.equal((await insert(id, hasty)).status, 200)
    const sender = await stopSender(t, trellis)
    const waiting = insert(10, patient)
    const answers = await Promise.all([insert(11, hasty), insert(12, hasty)])
    for (const { status, body: answer, text } of answers) {
      assert.ok(answer.errors || status >= 400, text)
      assert.doesNotMatch(text, /nothing|undone|rolled back/i)
    }
    signal(sender, 'SIGCONT')
    assert.equal((await waiting).status, 200)
    const ids = async () => (await trellis.sql<{ id: number }>('select id from note order by id')).map(({ id }) => id)
    assert.deepEqual(await ids(), [1, 2, 3, 10, 11, 12])
    assert.equal((await insert(13, hasty)).status, 200)
  })
}

test('with both hosts in the URL, a promoted standby is served without a restart', async (t) => {
  const pair = await startPair(t)
  const { primary, standby } = pair
  const hosts = [standby.cluster, primary.cluster].join(',')
  const url = `postgres://postgres@/postgres?host=${hosts}&port=5432`
  const { trellis: server, sql } = await serveHosts(t, url, primary.url)
  await makeSynchronous({ sql } as TestTrellis)
  const insert = (id: number) => `mutation { insert_note_one(object: {id: ${id}}) { id } }`
  // The first host is the standby: it is passed over.
  assert.deepEqual(await server.graphql(insert(1)), { data: { insert_note_one: { id: 1 } } })

  process.kill(primary.pid, 'SIGKILL')
  await standby.promote()
  const client = await connectTo(t, standby.url)
  await client.query(`alter system set synchronous_standby_names = ''`)
  await client.query('select pg_reload_conf()')
  await eventually(async () => (await server.graphql<Body>(insert(2))).errors === undefined)
  assert.deepEqual(await server.graphql('{ note(order_by: {id: asc}) { id } }'), {
    data: { note: [{ id: 1 }, { id: 2 }] },
  })
  // Changes of other instances are heard from the new primary.
  await server.op('track_table', 'pair')
  await client.query('update trellis.metadata set resource_version = resource_version + 1')
  const [stored] = (await client.query('select resource_version from trellis.metadata')).rows
  await eventually(() => server.engine.model.resourceVersion === Number(stored.resource_version))
})

/** A server with the URL of both hosts. */
async function serveHosts(t: TestContext, url: string, primaryUrl: string) {
  const client = await connectTo(t, primaryUrl)
  const sql: TestTrellis['sql'] = async (text, values) => (await client.query(text, values as unknown[])).rows
  await sql(schema)
  const trellis = await startTrellis(t, { database: { url, sql } })
  await trellis.op('track_table', 'note')
  return { trellis, sql }
}

test('a server starts where a host of its URL is down', async (t) => {
  const { url, sql } = await testDatabase(t)
  const [direct] = [new URL(url)]
  const host = direct.searchParams.get('host') ?? direct.hostname
  const given = new URL(url)
  given.searchParams.set('host', `/nowhere,${host}`)
  given.searchParams.set('port', `1,${direct.searchParams.get('port') ?? direct.port}`)
  const trellis = await startTrellis(t, { database: { url: given.href, sql } })
  assert.equal((await trellis.request('/healthz')).text, 'OK')
})
