// One client leaves room for others: connections to the database, and places of live queries.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { openApollo, openSocket } from './clients.ts'

const slowSql = `
  create function slow(seconds float8) returns setof book language plpgsql stable as $$
    begin perform pg_sleep(seconds); return query select * from book limit 1; end $$;
  create table note (id serial primary key, seconds float8);
  create function take_time() returns trigger language plpgsql as $$ begin perform pg_sleep(new.seconds); return new; end $$;
  create trigger takes_time before insert on note for each row execute function take_time();`

async function startSlow(t: TestContext, settings: NonNullable<Parameters<typeof startLibrary>[1]>['settings'] = {}) {
  const trellis = await startLibrary(t, { settings: { connections: 8, poolTimeout: 60, ...settings } })
  await trellis.sql(slowSql)
  await trellis.op('track_function', 'slow')
  await trellis.op('track_table', 'note')
  await trellis.op('create_select_permission', {
    ...{ table: 'book', role: 'reader', permission: { columns: '*', filter: {} } },
  })
  return trellis
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const asReader = { headers: { 'x-service-role': 'reader', 'x-service-user-id': '7' } }

async function atWork({ sql }: TestTrellis): Promise<number> {
  const [row] = await sql<{ running: number }>(`select count(*)::int as running from pg_stat_activity
    where datname = current_database() and state = 'active' and query ~ 'slow|note|pg_sleep' and pid <> pg_backend_pid()`)
  return row!.running
}

const most = 20

/** Other clients read while one client exceeds its share; all are answered. */
async function assertOthersAreServed(trellis: TestTrellis, share: number, greedy: () => readonly Promise<unknown>[]) {
  let answered = 0
  const all = greedy().map(async (each) => {
    const answer = await each
    answered++
    return answer
  })
  await eventually(async () => (await atWork(trellis)) === share)
  for (let i = 0; i < 4; i++) {
    const answer = await trellis.graphql(`{ other_${i}: book { id } }`, {}, asReader)
    assert.equal(JSON.stringify(answer).includes('errors'), false)
  }
  assert.ok(answered < most, 'others do not wait until all is done')
  assert.ok((await atWork(trellis)) <= share)
  for (const answer of await Promise.all(all))
    assert.equal(/error/.test(JSON.stringify(answer)), false, JSON.stringify(answer))
}

test('slow queries of one socket leave connections for other clients, and wait for each other', async (t) => {
  const trellis = await startSlow(t)
  // With the other protocol, the operations of a socket run one after another.
  const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  socket.send({ type: 'connection_init' })
  await socket.next()
  await assertOthersAreServed(trellis, 4, () => {
    for (let i = 0; i < most; i++) {
      const query = `{ s${i}: slow(args: {seconds: 0.8}) { id } }`
      socket.send({ type: 'subscribe', id: `${i}`, payload: { query } })
    }
    return times(most, (i) =>
      socket.messages
        .until((all) => all.some(({ type, id }) => type === 'complete' && id === `${i}`))
        .then((all) => all.filter(({ id, type }) => id === `${i}` && type !== 'complete')),
    )
  })
})

test('slow requests of one session to any API leave connections for other sessions', async (t) => {
  const trellis = await startSlow(t)
  await assertOthersAreServed(trellis, 6, () =>
    times(most, (i) => trellis.graphql(`{ s${i}: slow(args: {seconds: 0.8}) { id } }`)),
  )
  await assertOthersAreServed(trellis, 6, () =>
    times(most, (i) => trellis.graphql(`mutation { n${i}: insert_note_one(object: {seconds: 0.8}) { id } }`)),
  )
  const objects = [{ seconds: 0.8 }]
  const explained = { query: '{ slow(args: {seconds: 0.8}) { id } }', analyze: true }
  const requests = [
    () => trellis.op('insert', { table: 'note', objects }),
    () => trellis.request('/api/1/table/note/insert', { body: { objects } }),
    () => trellis.request('/v1/graphql/explain', { body: explained }),
  ]
  await assertOthersAreServed(trellis, 6, () => times(most, (i) => requests[i % requests.length]!()))
})

test('a request that waits too long for the share of its caller gets 503, and --caller-share 100 disables shares', async (t) => {
  const trellis = await startSlow(t, { connections: 4, poolTimeout: 1 })
  const sleeping = times(4, (i) =>
    trellis.request('/v1/graphql', { body: { query: `{ s${i}: slow(args: {seconds: 3}) { id } }` } }),
  )
  const answers = await Promise.all(sleeping)
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 503])
  const refused = answers.find(({ status }) => status === 503)!
  assert.deepEqual(refused.body, {
    errors: [
      {
        extensions: { path: '$', code: 'busy' },
        message: 'as many of your requests as may be at work at once were at work for 1 s',
      },
    ],
  })
  const whole = await startSlow(t, { connections: 4, poolTimeout: 10, callerShare: 100 })
  const all = times(4, (i) => whole.graphql(`{ s${i}: slow(args: {seconds: 2}) { id } }`))
  await eventually(async () => (await atWork(whole)) === 4)
  await Promise.all(all)
})

test("behind trusted proxies, the share belongs to the client's address", async (t) => {
  const trellis = await startSlow(t, { connections: 12, trustedProxies: 1 })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  // One session at one address has nine of twelve, at two addresses more.
  const all = times(most, (i) =>
    trellis.graphql(`{ s${i}: slow(args: {seconds: 1}) { id } }`, {}, from(i % 2 ? '10.0.0.1' : '10.0.0.2')),
  )
  await eventually(async () => (await atWork(trellis)) === 10)
  await Promise.all(all)
})

test('slow subscriptions of one socket leave places for those of others', async (t) => {
  const trellis = await startSlow(t, { connections: 48, liveQueriesRefetchInterval: 100 })
  const greedy = await openApollo(t, trellis.url)
  for (let i = 0; i < 40; i++) {
    const query = `subscription { s${i}: slow(args: {seconds: 30}) { id } }`
    greedy.send({ type: 'start', id: `${i}`, payload: { query } })
  }
  // Two of four places, and half of the twelve for long statements.
  await eventually(async () => (await atWork(trellis)) === 8)
  for (const headers of [{}, asReader.headers]) {
    const other = await openApollo(t, trellis.url, { payload: { headers } })
    const query = 'subscription { book(order_by: {id: asc}, limit: 1) { title } }'
    other.send({ type: 'start', id: '1', payload: { query } })
    const states = (title: string) =>
      other.messages.until((all) => all.some((message) => JSON.stringify(message).includes(title)))
    await states('Dawn')
    await trellis.sql(`update book set title = 'Dusk' where id = 1`)
    await states('Dusk')
    await trellis.sql(`update book set title = 'Dawn' where id = 1`)
  }
  assert.equal(await atWork(trellis), 8)
})
