// Slow reads delay no other requests, and run in parallel as far as the pool allows.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeGate, gateSql } from '../support/gate.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id serial primary key, body text not null);
  insert into note (body) select 'note ' || n from generate_series(1, 50) n;
  ${gateSql}
  create function nap(how text) returns setof note language plpgsql stable as $$ begin
    if how = 'waits' then perform wait_at_gate(); end if;
    if how = 'sleeps' then perform pg_sleep(0.3); end if;
    return query select * from note order by id limit 1;
  end $$;
  create table spare (id serial primary key);
`

/** Connections of the pool. Some tests fill it from one client, so callers have no share here. */
const connections = 50

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections, callerShare: 100 } })
  await trellis.op('track_table', 'note')
  await trellis.op('track_function', 'nap')
  return trellis
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A read that waits at the gate or does not; the name of its field makes it one that the server knows, or does not. */
async function ask({ graphql }: TestTrellis, field: string, how: 'waits' | 'sleeps' | 'is short'): Promise<void> {
  const answer = await graphql(`query ($how: String!) { ${field}: nap(args: {how: $how}) { id } }`, { how })
  assert.deepEqual(answer, { data: { [field]: [{ id: 1 }] } })
}

/** Sends short reads of 16 clients, one after another, until some other reads wait at the gate. */
async function readBeside(t: TestContext, trellis: TestTrellis, fields: readonly string[]): Promise<void> {
  const gate = await closeGate(t, trellis.database)
  let mayEnd = false
  const read = async (id: number) => {
    for (let since = 0; since < 10; since += mayEnd ? 1 : 0) {
      const answer = await trellis.graphql('query ($id: Int!) { note_by_pk(id: $id) { body } }', { id })
      assert.deepEqual(answer, { data: { note_by_pk: { body: `note ${id}` } } })
      await sleep(5)
    }
  }
  const readers = Promise.all(times(16, (i) => read(i + 1)))
  await sleep(200)
  const slow = Promise.all(fields.map((field) => ask(trellis, field, 'waits')))
  await gate.waiting(fields.length)
  mayEnd = true
  // Reads behind those at the gate would wait forever.
  await Promise.race([
    readers,
    sleep(60_000, null, { ref: false }).then(() => assert.fail('short reads wait for slow ones')),
  ])
  await gate.open()
  await slow
}

test('short reads do not wait for slow new ones', async (t) => {
  const trellis = await start(t)
  await readBeside(
    ...[t, trellis],
    times(5, (i) => `new_${i}`),
  )
})

test('short reads do not wait for slow known ones, also after a change of the metadata', async (t) => {
  const trellis = await start(t)
  const known = times(5, (i) => `known_${i}`)
  for (let run = 0; run < 3; run++) await Promise.all(known.map((field) => ask(trellis, field, 'sleeps')))
  await readBeside(t, trellis, known)
  await trellis.op('track_table', 'spare')
  await readBeside(t, trellis, known)
})

test('short reads do not wait for reads that were short a hundred times and are slow then', async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 100; run++) await ask(trellis, 'changing', 'is short')
  await readBeside(
    ...[t, trellis],
    times(5, () => 'changing'),
  )
})

/** Lets as many reads as there are connections wait at the gate at the same time. */
async function fill(t: TestContext, trellis: TestTrellis, field: string): Promise<void> {
  const gate = await closeGate(t, trellis.database)
  const all = Promise.all(times(connections, () => ask(trellis, field, 'waits')))
  await gate.waiting(connections)
  await gate.open()
  await all
}

test(`${connections} slow reads run in parallel, however often they ran`, async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 3; run++) await fill(t, trellis, 'same')
})

test(`${connections} reads that were short a hundred times run in parallel when they are slow`, async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 100; run++) await ask(trellis, 'changing', 'is short')
  await fill(t, trellis, 'changing')
})

/** Reads with side effects: each contains a volatile function. */
const effects = `
  create table trace (id serial primary key, who text);
  create function leave_trace(who text) returns text language sql as 'insert into trace (who) values ($1) returning who';
  create view direct as select 1 as id, leave_trace('direct') as who;
  create view indirect as select * from direct;
`

const traced = [
  { who: 'direct', query: '{ direct { who } }' },
  { who: 'direct', query: '{ indirect { who } }' },
]

test('a read with side effects runs once, also behind an unexpectedly slow one', async (t) => {
  const trellis = await start(t)
  await trellis.sql(effects)
  for (const table of ['direct', 'indirect']) await trellis.op('track_table', table)
  for (const { who, query } of traced) {
    for (let run = 0; run < 30; run++) await trellis.graphql(query)
    for (let run = 0; run < 30; run++) await ask(trellis, 'changing', 'is short')
    await trellis.sql('truncate trace')
    const slow = times(6, () => ask(trellis, 'changing', 'sleeps'))
    const answers = await Promise.all(times(20, () => trellis.graphql<{ errors?: unknown }>(query)))
    await Promise.all(slow)
    assert.deepEqual(
      answers.filter(({ errors }) => errors !== undefined),
      [],
      query,
    )
    assert.deepEqual(await trellis.sql('select who, count(*)::int from trace group by 1'), [{ who, count: 20 }], query)
  }
})
