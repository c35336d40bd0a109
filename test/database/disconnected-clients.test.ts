// Clients that disconnect before their answer: their reads are cancelled, and their changes are finished.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeGate, gateSql } from '../support/gate.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = `
  create table note (id int primary key);
  insert into note select generate_series(1, 20);
  ${gateSql}
  create function read_notes(waits boolean) returns setof note language plpgsql stable as $$ begin
    if waits then perform wait_at_gate(); end if;
    return query select * from note order by id limit 1;
  end $$;
  create view effect as select 1 as id, clock_timestamp()::text || wait_at_gate()::text as over;
  create table slow (id int primary key);
  create function take_time() returns trigger language plpgsql as $$ begin perform wait_at_gate(); return new; end $$;
  create trigger takes_time before insert on slow for each row execute function take_time();
`

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections: 20 } })
  for (const table of ['note', 'effect', 'slow']) await trellis.op('track_table', table)
  await trellis.op('track_function', 'read_notes')
  return trellis
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Sends a request whose client disconnects; the answer is discarded. */
function postAndLeave({ url }: TestTrellis, path: string, body: object): () => void {
  const client = new AbortController()
  const { signal } = client
  const headers = { 'content-type': 'application/json' }
  fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal }).catch(() => {})
  return () => client.abort()
}

const sendAndLeave = (trellis: TestTrellis, query: string) => postAndLeave(trellis, '/v1/graphql', { query })

const read = (waits: boolean) => `{ read_notes(args: {waits: ${waits}}) { id } }`

const reads = [
  { what: 'that is new', query: read(true), before: 0 },
  { what: 'with effects', query: '{ effect { over } }', before: 0 },
  { what: 'that was short so far', query: read(true), before: 50 },
]

for (const { what, query, before } of reads) {
  test(`a read ${what} is cancelled when its client disconnects`, async (t) => {
    const trellis = await start(t)
    for (let run = 0; run < before; run++) await trellis.graphql(read(false))
    const gate = await closeGate(t, trellis.database)
    const leave = times(6, () => sendAndLeave(trellis, query))
    await gate.waiting(6)
    for (const one of leave) one()
    await gate.left(0)
    const answers = await Promise.all(
      times(20, (i) => trellis.graphql('query ($id: Int!) { note_by_pk(id: $id) { id } }', { id: i + 1 })),
    )
    assert.deepEqual(
      answers,
      times(20, (i) => ({ data: { note_by_pk: { id: i + 1 } } })),
    )
  })
}

test('data operations that read are cancelled when their clients disconnect, on every path', async (t) => {
  const trellis = await start(t)
  const gate = await closeGate(t, trellis.database)
  const args = { columns: ['over'] }
  const leave = [
    postAndLeave(trellis, '/v1/query', { type: 'select', args: { table: 'effect', ...args } }),
    postAndLeave(trellis, '/api/1/table/effect/select', args),
  ]
  await gate.waiting(2)
  for (const one of leave) one()
  await gate.left(0)
})

test('of equal reads, only those of disconnected clients are cancelled', async (t) => {
  const trellis = await start(t)
  const gate = await closeGate(t, trellis.database)
  const stay = times(3, () => trellis.graphql(read(true)))
  const leave = times(3, () => sendAndLeave(trellis, read(true)))
  await gate.waiting(6)
  for (const one of leave) one()
  await gate.left(3)
  await gate.open()
  for (const answer of await Promise.all(stay)) assert.deepEqual(answer, { data: { read_notes: [{ id: 1 }] } })
})

test('reads that wait for a connection are not run for disconnected clients', async (t) => {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections: 2 } })
  await trellis.op('track_table', 'note')
  await trellis.op('track_table', 'effect')
  const gate = await closeGate(t, trellis.database)
  const leave = times(12, () => sendAndLeave(trellis, '{ effect { over } }'))
  await sleep(300)
  for (const one of leave) one()
  await gate.left(0)
  await sleep(500)
  assert.equal(await gate.count(), 0)
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
  test(`a mutation ${what} continues when its client disconnects, and is committed`, async (t) => {
    const trellis = await start(t)
    const gate = await closeGate(t, trellis.database)
    const leave = sendAndLeave(trellis, query)
    await gate.waiting(1)
    leave()
    // The server hears of it while the statement runs.
    await sleep(300)
    await gate.open()
    const ids = async () => (await trellis.sql<{ id: number }>('select id from slow order by id')).map(({ id }) => id)
    await eventually(async () => (await ids()).length >= expected.length)
    assert.deepEqual(await ids(), expected)
  })
}
