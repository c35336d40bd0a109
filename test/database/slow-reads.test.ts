// Reads that take long hold up nobody, and whatever the pool can do side by side it does.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id serial primary key, body text not null);
  insert into note (body) select 'note ' || n from generate_series(1, 50) n;
  create function nap(seconds float8) returns setof note language plpgsql stable as $$
    begin perform pg_sleep(seconds); return query select * from note order by id limit 1; end $$;
  create table spare (id serial primary key);
`

/** How many connections the pool has; some tests fill it. */
const connections = 50

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections } })
  await trellis.op('track_table', 'note')
  await trellis.op('track_function', 'nap')
  return trellis
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A read of that many seconds; the name of its field makes it one that the server knows, or does not. */
async function nap({ graphql }: TestTrellis, seconds: number, field: string): Promise<void> {
  const answer = await graphql(`query ($s: float8!) { ${field}: nap(args: {seconds: $s}) { id } }`, { s: seconds })
  assert.deepEqual(answer, { data: { [field]: [{ id: 1 }] } })
}

/** The longest of short reads that 16 clients send one after another until the work is done, in milliseconds. */
async function longestBeside({ graphql }: TestTrellis, work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const read = async (id: number) => {
    while (!isDone) {
      const began = performance.now()
      const answer = await graphql('query ($id: Int!) { note_by_pk(id: $id) { body } }', { id })
      longest = Math.max(longest, performance.now() - began)
      assert.deepEqual(answer, { data: { note_by_pk: { body: `note ${id}` } } })
      await sleep(5)
    }
  }
  const readers = Promise.all(times(16, (i) => read(i + 1)))
  await sleep(200)
  await work().finally(() => {
    isDone = true
  })
  await readers
  return longest
}

/** Far less than the reads beside it take, far more than a short one does. */
const generous = 1000

test('short reads do not wait for new ones that take 2 s', async (t) => {
  const trellis = await start(t)
  const longest = await longestBeside(trellis, () => Promise.all(times(5, (i) => nap(trellis, 2, `new_${i}`))))
  assert.ok(longest < generous, `${longest} ms`)
})

test('short reads do not wait for known ones that take 2 s, nor after a change of the metadata', async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 3; run++) await Promise.all(times(5, (i) => nap(trellis, 0.3, `known_${i}`)))
  const slow = () => Promise.all(times(5, (i) => nap(trellis, 2, `known_${i}`)))
  const before = await longestBeside(trellis, slow)
  assert.ok(before < generous, `${before} ms`)
  await trellis.op('track_table', 'spare')
  const after = await longestBeside(trellis, slow)
  assert.ok(after < generous, `${after} ms after the change`)
})

test('short reads do not wait for ones that were short a hundred times and then take 2 s', async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 100; run++) await nap(trellis, 0, 'changing')
  const longest = await longestBeside(trellis, () => Promise.all(times(5, () => nap(trellis, 2, 'changing'))))
  assert.ok(longest < generous, `${longest} ms`)
})

test(`${connections} reads of 1 s run side by side, however often they ran`, async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 3; run++) {
    const began = performance.now()
    await Promise.all(times(connections, () => nap(trellis, 1, 'same')))
    const took = performance.now() - began
    assert.ok(took < 4000, `${took} ms in run ${run}`)
  }
})

test(`${connections} reads that were short a hundred times run side by side when they take 1 s`, async (t) => {
  const trellis = await start(t)
  for (let run = 0; run < 100; run++) await nap(trellis, 0, 'changing')
  const began = performance.now()
  await Promise.all(times(connections, () => nap(trellis, 1, 'changing')))
  const took = performance.now() - began
  assert.ok(took < 4000, `${took} ms`)
})

/** Reads that leave something behind: each has a function that is volatile somewhere in it. */
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

test('a read with effects that waits behind one that turned out slow has them once', async (t) => {
  const trellis = await start(t)
  await trellis.sql(effects)
  for (const table of ['direct', 'indirect']) await trellis.op('track_table', table)
  for (const { who, query } of traced) {
    for (let run = 0; run < 30; run++) await trellis.graphql(query)
    for (let run = 0; run < 30; run++) await nap(trellis, 0, 'changing')
    await trellis.sql('truncate trace')
    const slow = times(6, () => nap(trellis, 0.5, 'changing'))
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
