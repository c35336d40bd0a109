// Clients that go away before they are answered: what they read is not worth finishing, what they changed is.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id int primary key);
  insert into note select generate_series(1, 20);
  create function nap(seconds float8) returns setof note language plpgsql stable as $$
    begin perform pg_sleep(seconds); return query select * from note order by id limit 1; end $$;
  create view long_nap as select 1 as id, pg_sleep(5)::text as over;
  create table slow (id int primary key);
  create function take_time() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
  create trigger takes_time before insert on slow for each row execute function take_time();
`

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections: 20 } })
  for (const table of ['note', 'long_nap', 'slow']) await trellis.op('track_table', table)
  await trellis.op('track_function', 'nap')
  return trellis
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** How many statements PostgreSQL runs that sleep. */
async function sleepers({ sql }: TestTrellis): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep' and pid <> pg_backend_pid()`,
  )
  return row!.count
}

const patience = 10_000

/** Waits until so many statements sleep; milliseconds that it took. */
async function untilSleepers(trellis: TestTrellis, expected: number): Promise<number> {
  const began = performance.now()
  while ((await sleepers(trellis)) !== expected) {
    assert.ok(performance.now() - began < patience, `${await sleepers(trellis)} statements sleep`)
    await sleep(10)
  }
  return performance.now() - began
}

/** Sends a request whose client goes away; the answer is nobody's. */
function sendAndLeave({ url }: TestTrellis, query: string): () => void {
  const client = new AbortController()
  const { signal } = client
  const headers = { 'content-type': 'application/json' }
  fetch(`${url}/v1/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }), signal }).catch(() => {})
  return () => client.abort()
}

/** A tenth of it is asked for; the machine of the tests is busy. */
const soon = 1000

const reads = [
  { what: 'that is new', query: '{ nap(args: {seconds: 5}) { id } }', before: 0 },
  { what: 'with effects', query: '{ long_nap { over } }', before: 0 },
  { what: 'that was short so far', query: '{ nap(args: {seconds: 5}) { id } }', before: 50 },
]

for (const { what, query, before } of reads) {
  test(`a read ${what} ends when its client goes away`, async (t) => {
    const trellis = await start(t)
    for (let run = 0; run < before; run++) await trellis.graphql('{ nap(args: {seconds: 0}) { id } }')
    const leave = times(6, () => sendAndLeave(trellis, query))
    await untilSleepers(trellis, 6)
    for (const one of leave) one()
    const took = await untilSleepers(trellis, 0)
    assert.ok(took < soon, `${took} ms`)
    const answers = await Promise.all(
      times(20, (i) => trellis.graphql('query ($id: Int!) { note_by_pk(id: $id) { id } }', { id: i + 1 })),
    )
    assert.deepEqual(
      answers,
      times(20, (i) => ({ data: { note_by_pk: { id: i + 1 } } })),
    )
  })
}

test('of reads that are the same only those end whose clients go away', async (t) => {
  const trellis = await start(t)
  const query = '{ nap(args: {seconds: 2}) { id } }'
  const stay = times(3, () => trellis.graphql(query))
  const leave = times(3, () => sendAndLeave(trellis, query))
  await untilSleepers(trellis, 6)
  for (const one of leave) one()
  await untilSleepers(trellis, 3)
  for (const answer of await Promise.all(stay)) assert.deepEqual(answer, { data: { nap: [{ id: 1 }] } })
})

test('reads that wait for a connection are not run for clients that have gone away', async (t) => {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections: 2 } })
  await trellis.op('track_table', 'note')
  await trellis.op('track_table', 'long_nap')
  const leave = times(12, () => sendAndLeave(trellis, '{ long_nap { over } }'))
  await sleep(300)
  for (const one of leave) one()
  await sleep(soon)
  assert.equal(await sleepers(trellis), 0)
  assert.deepEqual(await trellis.graphql('{ note_by_pk(id: 1) { id } }'), { data: { note_by_pk: { id: 1 } } })
})

const mutations = [
  {
    what: 'of one statement',
    query: 'mutation { insert_slow(objects: [{id: 1}]) { affected_rows } }',
    expected: [1],
  },
  {
    what: 'of two statements',
    query:
      'mutation { a: insert_slow(objects: [{id: 1}]) { affected_rows } b: insert_slow(objects: [{id: 2}]) { affected_rows } }',
    expected: [1, 2],
  },
]

for (const { what, query, expected } of mutations) {
  test(`a mutation ${what} goes on when its client goes away, and is committed`, async (t) => {
    const trellis = await start(t)
    const leave = sendAndLeave(trellis, query)
    await untilSleepers(trellis, 1)
    leave()
    const began = performance.now()
    const ids = async () => (await trellis.sql<{ id: number }>('select id from slow order by id')).map(({ id }) => id)
    while ((await ids()).length < expected.length && performance.now() - began < patience) await sleep(50)
    assert.deepEqual(await ids(), expected)
  })
}
