// Connections to PostgreSQL that are lost silently: sent data does not arrive, and neither side gets an error.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { type NetworkProxy, startProxy } from '../support/proxy.ts'
import { startPostgres } from '../support/small-postgres.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = `create table note (id serial primary key, body text not null); insert into note (body) values ('first')`

interface World {
  readonly proxy: NetworkProxy
  readonly trellis: TestTrellis
}

async function start(t: TestContext): Promise<World> {
  const database = await testDatabase(t, { sql: schema })
  const proxy = await startProxy(t, database.url)
  const trellis = await startTrellis(t, { database: { ...database, url: proxy.url } })
  await trellis.op('track_table', 'note')
  return { proxy, trellis }
}

interface Body {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

/** A request and its outcome. */
interface Outcome {
  readonly began: number
  readonly millis: number
  readonly status: number
  readonly body: Body
  readonly retryAfter: string | null
}

const succeeded = ({ status, body }: Outcome): boolean => status === 200 && body.errors === undefined

const requests = [
  { query: '{ note_by_pk(id: 1) { body } }' },
  { query: '{ note_aggregate { aggregate { count } } }' },
  { query: 'mutation { insert_note_one(object: {body: "more"}) { body } }' },
  {
    query:
      'mutation { a: insert_note_one(object: {body: "a"}) { body } b: insert_note_one(object: {body: "b"}) { body } }',
  },
]

/** Longer than any request may take, so that one that hangs fails its test. */
const timeoutMillis = 30_000

/** Sends a request, and fails when it is not answered. */
async function send({ request }: TestTrellis, body: unknown) {
  const answer = await Promise.race([
    request<Body>('/v1/graphql', { body }),
    sleep(timeoutMillis, null, { ref: false }),
  ])
  assert.ok(answer, `not answered within ${timeoutMillis / 1000} s: ${JSON.stringify(body)}`)
  return answer
}

/** Requests of every kind by several clients, one after another, until they are stopped. */
function startLoad(t: TestContext, { proxy, trellis }: World, clients = 12) {
  const outcomes: Outcome[] = []
  let stopped = false
  const client = async (number: number) => {
    for (let n = number; !stopped; n++) {
      const began = performance.now()
      const { status, body, headers } = await send(trellis, requests[n % requests.length])
      const millis = performance.now() - began
      outcomes.push({ began, millis, status, body, retryAfter: headers.get('retry-after') })
      await sleep(10)
    }
  }
  const clientsDone = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  clientsDone.catch(() => {})
  const stop = () => {
    stopped = true
    return clientsDone
  }
  atEnd(t, () => stop().catch(() => {}))
  // Waiting statements end with their connection.
  atEnd(t, () => proxy.cut())
  return { outcomes, stop }
}

/** Milliseconds for an answer that is to come within one second, on a machine that is busy with other tests. */
const oneSecond = 3000

/** Long enough on a slow machine, and shorter than the limits of a silent connection. */
const patientSecond = 10_000

/** The status of a probe; fails when the answer takes longer than `patientSecond`. */
async function probe({ request }: TestTrellis, path: string, method: string): Promise<number> {
  const began = performance.now()
  const { status } = await request(path, { method })
  const millis = performance.now() - began
  assert.ok(millis < patientSecond, `${method} ${path} took ${millis} ms`)
  return status
}

const probes = ['/healthz', '/livez', '/readyz']

/** The statuses of all probes, which are the same for GET and HEAD. */
async function probeAll(trellis: TestTrellis): Promise<number[]> {
  const [gets, heads] = await Promise.all(
    ['GET', 'HEAD'].map((method) => Promise.all(probes.map((path) => probe(trellis, path, method)))),
  )
  assert.deepEqual(heads, gets)
  return gets!
}

/** Waits until all probes report health; on a slow machine, one may be late. */
const untilUp = (trellis: TestTrellis) =>
  eventually(async () => (await probeAll(trellis)).every((status) => status === 200))
const down = [500, 200, 503]

/** Waits until every kind of request succeeds. */
async function served(trellis: TestTrellis): Promise<void> {
  for (const body of requests) {
    const { status, body: answer } = await send(trellis, body)
    assert.deepEqual([status, answer.errors], [200, undefined])
  }
}

/** Requests that failed say why, in one of the ways of a database that does not answer. */
function assertFailures(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes.filter((one) => !succeeded(one))) {
    const { status, body, retryAfter } = outcome
    assert.ok(body.errors, JSON.stringify(outcome))
    if (status === 503) assert.match(retryAfter ?? '', /^\d+$/)
    else assert.match(body.errors[0]!.message, /^(connection error|postgres tx error)$/, JSON.stringify(body))
  }
}

test('after a network dropped all packets for a while, requests are served again within 10 s', async (t) => {
  const world = await start(t)
  const { proxy, trellis } = world
  const load = startLoad(t, world)
  await sleep(500)
  await untilUp(trellis)

  proxy.swallow()
  const swallowed = performance.now()
  while (performance.now() - swallowed < 15_000) {
    const said = await probeAll(trellis)
    if (performance.now() - swallowed > 2 * oneSecond) assert.deepEqual(said, down)
    await sleep(500)
  }
  // Requests of the first seconds have their answers.
  const early = load.outcomes.filter(({ began, millis }) => began + millis > swallowed)
  assert.ok(early.length >= 12, `${early.length} of 12 clients had an answer after 15 s of silence`)

  proxy.heal()
  const healed = performance.now()
  await sleep(10_000 - (performance.now() - healed))
  await untilUp(trellis)
  await served(trellis)
  const afterwards = performance.now()
  await sleep(500)
  await load.stop()
  assertFailures(load.outcomes)
  assert.deepEqual(
    load.outcomes.filter((one) => one.began > afterwards && !succeeded(one)),
    [],
  )
  assert.ok(load.outcomes.some(({ began }) => began > afterwards))
})

test('when only open connections are lost, requests are served over new ones within 10 s', async (t) => {
  const world = await start(t)
  const { proxy, trellis } = world
  const load = startLoad(t, world)
  await sleep(500)
  proxy.swallow('open')
  const swallowed = performance.now()
  while (performance.now() - swallowed < 10_000) {
    await probeAll(trellis)
    await sleep(500)
  }
  await untilUp(trellis)
  await served(trellis)
  const afterwards = performance.now()
  await sleep(500)
  await load.stop()
  assertFailures(load.outcomes)
  assert.deepEqual(
    load.outcomes.filter((one) => one.began > afterwards && !succeeded(one)),
    [],
  )
})

test('an idle server whose connections were lost serves again within 10 s', async (t) => {
  const world = await start(t)
  const { proxy, trellis } = world
  const load = startLoad(t, world, 4)
  await sleep(500)
  await load.stop()
  proxy.swallow('open')
  await sleep(10_000)
  const began = performance.now()
  await send(trellis, requests[0])
  // The first request may get a connection that was not checked yet; the following ones do not.
  await sleep(10_000 - (performance.now() - began))
  await served(trellis)
  await untilUp(trellis)
})

const withPatience = `${schema};
  create function patiently(note) returns int language sql stable as 'select 1 from pg_sleep(6)'`

/** Settings with which PostgreSQL does not report the server's running statements. */
const untold = [
  {
    what: 'does not track activities',
    sql: 'alter role service set track_activities = off',
  },
  {
    what: 'has the role take another one',
    sql: `create role owner; grant owner to service; alter role service set role = 'owner';
      grant all on database service to owner; grant all on note, note_id_seq to owner; alter database service owner to owner`,
  },
]

for (const { what, sql } of untold) {
  test(`if PostgreSQL ${what}, long statements end, and lost connections are noticed`, async (t) => {
    const database = await startPostgres(t, 40, withPatience)
    await database.sql(sql)
    const proxy = await startProxy(t, database.url)
    const trellis = await startTrellis(t, { database: { ...database, url: proxy.url } })
    await trellis.op('track_table', 'note')
    await trellis.op('add_computed_field', { table: 'note', name: 'patiently', definition: { function: 'patiently' } })
    const { body } = await send(trellis, { query: '{ note { patiently } }' })
    assert.deepEqual(body, { data: { note: [{ patiently: 1 }] } })
    proxy.swallow('open')
    const lost = await Promise.all([1, 2].map(() => send(trellis, requests[2])))
    assertFailures(lost.map(({ status, body }) => ({ began: 0, millis: 0, status, body, retryAfter: null })))
  })
}

test('without the right to read pg_stat_activity, long statements still end', async (t) => {
  const database = await startPostgres(t, 40, withPatience)
  await database.sql('revoke select on pg_stat_activity from public')
  const trellis = await startTrellis(t, { database })
  await trellis.op('track_table', 'note')
  await trellis.op('add_computed_field', { table: 'note', name: 'patiently', definition: { function: 'patiently' } })
  const { body } = await send(trellis, { query: '{ a: note { patiently } b: note { patiently } }' })
  assert.deepEqual(body, { data: { a: [{ patiently: 1 }], b: [{ patiently: 1 }] } })
})
