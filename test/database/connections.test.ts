// The number of connections to PostgreSQL, and the behaviour when PostgreSQL accepts no more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultSettings } from '../../core/engine/options.ts'
import { closeGate, gateSql } from '../support/gate.ts'
import { occupy, startPostgres } from '../support/small-postgres.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id serial primary key, body text not null);
  ${gateSql}
  create function nap(seconds float8) returns setof note language plpgsql stable as $$ begin
    if seconds < 0 then perform wait_at_gate(); else perform pg_sleep(seconds); end if;
    return query select * from note order by id limit 1;
  end $$;
  create table slow (id serial primary key);
  create function take_time() returns trigger language plpgsql as $$ begin perform pg_sleep(2); return new; end $$;
  create trigger takes_time before insert on slow for each row execute function take_time();
`

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

interface Body {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string }[]
}

/** Requests of every kind; those that nap keep their connection for a while, or until the gate is opened (-1). */
const requests = (seconds: number) => [
  { query: '{ note_aggregate { aggregate { count } } }' },
  { query: `{ nap(args: {seconds: ${seconds}}) { id } }` },
  { query: 'mutation { insert_note_one(object: {body: "one"}) { body } }' },
  {
    query: 'mutation { a: insert_note_one(object: {body: "a"}) { id } b: insert_note_one(object: {body: "b"}) { id } }',
  },
]

/** Sends requests at once; returns the answers that failed. */
async function failuresOf({ request }: TestTrellis, count: number, bodies: readonly unknown[]): Promise<unknown[]> {
  const sent = times(count, (i) => request<Body>('/v1/graphql', { body: bodies[i % bodies.length] }))
  const answers = await Promise.all(sent)
  return answers.filter(({ status, body }) => status !== 200 || body.errors).map(({ text }) => text.slice(0, 200))
}

for (const free of [2, 5]) {
  test(`while other clients leave ${free} connections, 45 concurrent requests wait for their turn and succeed`, async (t) => {
    const database = await startPostgres(t, 20, schema)
    const trellis = await startTrellis(t, { database, settings: { connections: 50 } })
    await trellis.op('track_table', 'note')
    await trellis.op('track_function', 'nap')
    const others = await occupy(t, database.url)
    assert.ok(others.length > 5, `${others.length} others`)
    for (const other of others.splice(0, free)) await other.end()
    await sleep(200)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await failuresOf(trellis, 45, requests(0.1)), [], `round ${round}`)
    }
  })
}

test('when other clients disconnect, the server runs more requests at a time', async (t) => {
  const database = await startPostgres(t, 40, schema)
  const trellis = await startTrellis(t, { database, settings: { connections: 30 } })
  await trellis.op('track_table', 'note')
  await trellis.op('track_function', 'nap')
  const others = await occupy(t, database.url)
  for (const other of others.splice(0, 2)) await other.end()
  assert.deepEqual(await failuresOf(trellis, 20, requests(0.1)), [])
  for (const other of others) await other.end()
  // The server chooses the time after which it tries more.
  await sleep(5000)
  const gate = await closeGate(t, database)
  const failures = failuresOf(trellis, 20, [requests(-1)[1]])
  await gate.waiting(20)
  await gate.open()
  assert.deepEqual(await failures, [])
})

test('two instances with standard settings and an administrator fit into 97 connections', async (t) => {
  const database = await startPostgres(t, 100, schema)
  const settings = { connections: defaultSettings().connections }
  const instances = [await startTrellis(t, { database, settings }), await startTrellis(t, { database, settings })]
  await instances[0]!.op('track_table', 'note')
  await instances[0]!.op('track_function', 'nap')
  await instances[0]!.op('track_table', 'slow')
  await sleep(500)
  // A transaction has a connection to itself, and this one keeps it.
  const transaction = { query: 'mutation { a: insert_slow_one(object: {}) { id } __typename }' }
  const bodies = [...requests(0.5), transaction, transaction, transaction, transaction]
  let most = 0
  let isDone = false
  const count = async () => {
    while (!isDone) {
      const [row] = await database.sql<{ count: number }>(
        `select count(*)::int from pg_stat_activity where usename = 'service'`,
      )
      most = Math.max(most, row!.count)
      await sleep(20)
    }
  }
  const counting = count()
  const failures = await Promise.all(instances.map((instance) => failuresOf(instance, 200, bodies)))
  isDone = true
  await counting
  assert.deepEqual(failures.flat(), [])
  // One of 97 connections is the administrator's.
  assert.ok(most <= 96, `${most} connections`)
})
