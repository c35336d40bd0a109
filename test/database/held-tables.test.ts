// Statements of the database itself that invalidate prepared ones: no request fails because of them.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id serial primary key, body text not null);
  insert into note (body) select 'note ' || n from generate_series(1, 50) n;
  create function forget() returns text language plpgsql as $$
    begin execute 'deallocate all'; return 'forgotten'; end $$;
  create view oblivion as select 1 as id, forget() as answer;
  create table eraser (id serial primary key);
  create function forget_after() returns trigger language plpgsql as $$ begin perform forget(); return null; end $$;
  create trigger forgets after insert on eraser for each row execute function forget_after();
`

async function start(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: schema, settings: { connections: 20 } })
  for (const table of ['note', 'oblivion', 'eraser']) await trellis.op('track_table', table)
  return trellis
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const read = ({ graphql }: TestTrellis, id: number) =>
  graphql('query ($id: Int!) { note_by_pk(id: $id) { id body } }', { id })
const note = (id: number) => ({ data: { note_by_pk: { id, body: `note ${id}` } } })

const insert = ({ graphql }: TestTrellis, field: string) =>
  graphql(`mutation ($body: String!) { ${field}: insert_note_one(object: {body: $body}) { body } }`, { body: field })
const inserted = (field: string) => ({ data: { [field]: { body: field } } })

/** The number of inserts before the table is locked: with them, PostgreSQL's connections know the statement. */
const histories = [
  { what: 'are new', before: 0 },
  { what: 'ran once', before: 1 },
  { what: 'ran on many connections', before: 40 },
]

for (const { what, before } of histories) {
  test(`inserts that ${what} wait for DDL that locks their table, and all succeed`, async (t) => {
    const trellis = await start(t)
    const { database, sql } = trellis
    const client = await connectTo(t, database.url)
    for (let round = 0; round < 3; round++) {
      const field = `round_${round}`
      await Promise.all(times(before, () => insert(trellis, field)))
      await client.query('begin; alter table note add column held int; alter table note drop column held')
      const answers = Promise.all(times(12, () => insert(trellis, field)))
      await sleep(300)
      await client.query('commit')
      assert.deepEqual(
        await answers,
        times(12, () => inserted(field)),
      )
      const [row] = await sql('select count(*)::int from note where body = $1', [field])
      assert.deepEqual(row, { count: before + 12 })
    }
  })
}

test('reads wait for DDL that locks their table, and none fails', async (t) => {
  const trellis = await start(t)
  const client = await connectTo(t, trellis.database.url)
  for (const before of [0, 1, 40]) {
    for (let i = 0; i < before; i++) await read(trellis, 1)
    await client.query('begin; alter table note add column held int; alter table note drop column held')
    const answers = Promise.all(times(30, (i) => read(trellis, i + 1)))
    await sleep(300)
    await client.query('commit')
    assert.deepEqual(
      await answers,
      times(30, (i) => note(i + 1)),
    )
  }
})

const forgetful = [
  { what: 'query', field: '{ oblivion { answer } }', data: { oblivion: [{ answer: 'forgotten' }] } },
  {
    what: 'mutation',
    field: 'mutation { insert_eraser(objects: [{}]) { affected_rows } }',
    data: { insert_eraser: { affected_rows: 1 } },
  },
]

for (const { what, field, data } of forgetful) {
  test(`a ${what} whose connection loses its prepared statements fails no other request`, async (t) => {
    const trellis = await start(t)
    const inserts = (round: number) => times(10, () => insert(trellis, `kind_${round % 2}`))
    for (let round = 0; round < 6; round++) {
      const neighbours = [...times(20, (i) => read(trellis, i + 1)), ...inserts(round)]
      const forgotten = times(3, () => trellis.graphql(field))
      const after = [...times(20, (i) => read(trellis, i + 21)), ...inserts(round)]
      assert.deepEqual(await Promise.all(neighbours), [
        ...times(20, (i) => note(i + 1)),
        ...times(10, () => inserted(`kind_${round % 2}`)),
      ])
      assert.deepEqual(await Promise.all(after), [
        ...times(20, (i) => note(i + 21)),
        ...times(10, () => inserted(`kind_${round % 2}`)),
      ])
      for (const answer of await Promise.all(forgotten)) assert.deepEqual(answer, { data })
    }
    const [row] = await trellis.sql(`select count(*)::int from note where body like 'kind%'`)
    assert.deepEqual(row, { count: 120 })
  })
}
