// A PostgreSQL without a free connection: running statements go on. A waiting request fails after a timeout and gives
// the reason. Waiting requests keep no other client from a connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LogEntry, silentObserver } from '../../core/log/observe.ts'
import { startProxy } from '../support/proxy.ts'
import { crowdOut, startPostgres } from '../support/small-postgres.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = `
  create table note (id serial primary key, body text not null);
  create table slow (id serial primary key);
  create function take_time() returns trigger language plpgsql as $$ begin perform pg_sleep(10); return new; end $$;
  create trigger takes_time before insert on slow for each row execute function take_time();
`

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

test('a long statement is not cut when no connection is left to check on it', async (t) => {
  const database = await startPostgres(t, 14, schema)
  const { op, graphql } = await startTrellis(t, { database })
  await op('track_table', 'slow')
  const writing = graphql('mutation { insert_slow_one(object: {}) { id } }')
  const atWork = `select from pg_stat_activity where usename = 'service' and state = 'active' and query like '%slow%'`
  await eventually(async () => (await database.sql(atWork)).length > 0)
  // The connection of the probe is lost with all others.
  await crowdOut(t, database, `state <> 'active' or query not like '%slow%'`)
  assert.deepEqual(await writing, { data: { insert_slow_one: { id: 1 } } })
})

test('metadata requests that wait too long for their turn all time out', async (t) => {
  const database = await startPostgres(t, 14, schema)
  const { op, request } = await startTrellis(t, { database, settings: { poolTimeout: 2 } })
  await op('track_table', 'note')
  await crowdOut(t, database)
  const began = performance.now()
  const answers = await Promise.all(
    times(6, () => request('/v1/query', { body: { type: 'reload_metadata', args: {} } })),
  )
  const took = performance.now() - began
  for (const { status, body, headers } of answers) {
    assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
    const { internal, ...error } = body as { internal: string }
    assert.deepEqual(error, {
      path: '$',
      error: 'the database is busy: no connection was free within 2 s',
      code: 'busy',
    })
    assert.match(internal, /connection slots are reserved|too many clients/)
  }
  // In turn they would take 12 s.
  assert.ok(took < 11_000, `six requests took ${took} ms`)
})

test('interface 2 has codes of its own for a full PostgreSQL, and for a full pool', async (t) => {
  const database = await startPostgres(t, 14, schema)
  const settings = { poolTimeout: 1, graphqlInterface: '2', connections: 1 } as const
  const { op, request, graphql } = await startTrellis(t, { database, settings })
  await op('track_table', 'slow')
  const asked = { query: 'mutation { update_slow(where: {}, _set: {id: 1}) { affected_rows } }' }
  const refusal = async () => {
    const { body } = await request('/v1/graphql', { body: asked })
    const [error] = Object(body).errors
    return [error.extensions.code, error.message]
  }
  const writing = graphql('mutation { insert_slow_one(object: {}) { id } }')
  const atWork = `select from pg_stat_activity where usename = 'service' and state = 'active' and query like '%slow%'`
  await eventually(async () => (await database.sql(atWork)).length > 0)
  assert.deepEqual(await refusal(), ['connection-timeout-error', 'connection acquisition timeout expired'])
  await writing
  await crowdOut(t, database)
  assert.deepEqual(await refusal(), ['postgres-max-connections-error', 'max connections reached on postgres'])
})

test('dozens of requests to a full PostgreSQL wait, and are served when other clients disconnect', async (t) => {
  // Its socket queues fewer connections than come at once.
  const database = await startPostgres(t, 10, schema)
  const { op, request } = await startTrellis(t, { database, settings: { connections: 60 } })
  await op('track_table', 'note')
  const others = await crowdOut(t, database)
  const asked = times(60, () => request('/v1/graphql', { body: { query: '{ note { id } }' } }))
  await sleep(1000)
  for (const other of others.splice(0, 2)) await other.end()
  const answers = (await Promise.all(asked)).map(({ text }) => text)
  assert.deepEqual([...new Set(answers)], ['{"data":{"note":[]}}'])
})

test('while PostgreSQL is full, one request at a time tries to connect, and other clients are served', async (t) => {
  const database = await startPostgres(t, 20, schema)
  const proxy = await startProxy(t, database.url)
  const { op, request } = await startTrellis(t, {
    database: { ...database, url: proxy.url },
    settings: { connections: 40, poolTimeout: 3 },
  })
  await op('track_table', 'note')
  await crowdOut(t, database)
  const before = proxy.accepted
  const answers = await Promise.all(times(40, () => request('/v1/graphql', { body: { query: '{ note { id } }' } })))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503])
  const attempts = proxy.accepted - before
  assert.ok(attempts < 200, `${attempts} attempts to connect`)
})

test('without room for a listening connection the server polls for changes, and logs that once', async (t) => {
  const database = await startPostgres(t, 14, schema)
  const told: string[] = []
  const observe = { ...silentObserver, log: ({ detail }: LogEntry) => told.push(JSON.stringify(detail)) }
  const first = await startTrellis(t, { database })
  // A PostgreSQL without room for more than the current connections.
  await first.sql('create role cramped login connection limit 1')
  await first.sql('grant service to cramped')
  const url = database.url.replace('service@', 'cramped@')
  const { request } = await startTrellis(t, { database: { ...database, url }, observe })
  await first.op('track_table', 'note')
  await sleep(5000)
  const { text } = await request('/v1/graphql', { body: { query: '{ note { id } }' } })
  assert.equal(text, '{"data":{"note":[]}}')
  const lines = told.filter((line) => line.includes('changes of other instances'))
  assert.equal(lines.length, 1, lines.join('\n'))
})
