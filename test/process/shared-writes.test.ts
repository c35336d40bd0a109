// Short writes share connections: seen from the database, and by those who wait.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Settings } from '../../core/options.ts'
import { atEnd } from '../support/cleanup.ts'
import { startTrellis } from '../support/trellis.ts'

const schema = `
  create table note (id int primary key, pid int default pg_backend_pid(),
    author text default current_setting('service.user', true)::json ->> 'x-service-user-id');
  create table late (id int unique deferrable initially deferred);
  create table counter (id int primary key, n int not null);
  insert into counter values (1, 0);
`

interface Note {
  readonly id: number
  readonly pid: number
  readonly author: string | null
}

interface Answer {
  readonly data?: { readonly insert_note_one: Note }
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

const author = (user: string) => ({ role: 'author', headers: { 'x-service-user-id': user } })

/** A server whose inserts of notes share connections already. */
async function start(t: TestContext, settings: Partial<Settings> = {}) {
  const trellis = await startTrellis(t, { sql: schema, settings })
  for (const table of ['note', 'late', 'counter']) await trellis.op('track_table', table)
  const role = { table: 'note', role: 'author' }
  await trellis.op('create_insert_permission', { ...role, permission: { check: {}, columns: ['id'] } })
  await trellis.op('create_select_permission', { ...role, permission: { columns: '*', filter: {} } })
  const insert = (id: number, user = 'somebody') => {
    const query = 'mutation ($id: Int!) { insert_note_one(object: {id: $id}) { id pid author } }'
    return trellis.graphql<Answer>(query, { id }, author(user))
  }
  let next = -1
  const pidOfNext = async () => (await insert(next--)).data!.insert_note_one.pid
  // What has not run yet takes a connection of its own.
  const ownPid = await pidOfNext()
  /** The connection that writes share when there are few. */
  const sharedPid = async () => {
    for (;;) {
      const pids = [await pidOfNext(), await pidOfNext(), await pidOfNext()]
      if (pids[0] !== ownPid && new Set(pids).size === 1) return pids[0]!
      await sleep(10)
    }
  }
  await sharedPid()
  return { ...trellis, insert, sharedPid }
}

/** Another party to the database. */
async function stranger(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  atEnd(t, () => client.end())
  return client
}

test('of many writes at once few take a connection of their own, and each sees its own session', async (t) => {
  const { insert } = await start(t)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => insert(i, `user ${i}`)))
  const notes = answers.map(({ data }) => data!.insert_note_one)
  for (const { id, author } of notes) assert.equal(author, `user ${id}`)
  const perConnection = Map.groupBy(notes, ({ pid }) => pid)
  assert.ok(Math.max(...[...perConnection.values()].map(({ length }) => length)) > 4)
})

test('a write that fails changes nothing for those beside it', async (t) => {
  const { insert, sql } = await start(t)
  await insert(0)
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => insert(i % 2 === 0 ? 0 : i)))
  for (const [i, { data, errors }] of answers.entries()) {
    if (i % 2 === 1) assert.equal(data?.insert_note_one.id, i)
    else assert.equal(errors?.[0]?.extensions.code, 'constraint-violation')
  }
  assert.equal((await sql('select 1 from note where id > 0')).length, 10)
})

test('one that waits for a lock holds up nobody, and is done when the lock is free', async (t) => {
  const { insert, database } = await start(t)
  const other = await stranger(t, database.url)
  await other.query('begin; insert into note values (1000)')
  let isDone = false
  const waiting = insert(1000).finally(() => {
    isDone = true
  })
  for (let i = 0; i < 30; i++) assert.equal((await insert(i)).data?.insert_note_one.id, i)
  assert.equal(isDone, false)
  await other.query('rollback')
  assert.equal((await waiting).data?.insert_note_one.id, 1000)
})

test('one that waits for a lock when it commits is done when the lock is free', async (t) => {
  const { graphql, database, sql } = await start(t)
  const insert = (id: number) =>
    graphql('mutation ($id: Int!) { insert_late(objects: {id: $id}) { affected_rows } }', { id })
  for (let id = 0; id < 5; id++) await insert(id)
  const other = await stranger(t, database.url)
  await other.query('begin; insert into late values (1000)')
  const waiting = insert(1000)
  await sleep(100)
  await other.query('rollback')
  assert.deepEqual(await waiting, { data: { insert_late: { affected_rows: 1 } } })
  assert.deepEqual(await sql('select id from late where id = 1000'), [{ id: 1000 }])
})

test('a trigger that goes on after errors of its own loses nothing for having waited', async (t) => {
  const { insert, sql, database } = await start(t)
  await sql(`
    create function forgiving() returns trigger language plpgsql as $$ begin
      begin
        update counter set n = n + 1;
      exception when others then
      end;
      return new;
    end $$;
    create trigger forgiving after insert on note for each row execute function forgiving()`)
  await insert(0)
  const other = await stranger(t, database.url)
  await other.query('begin; update counter set n = n')
  const waiting = Promise.all(Array.from({ length: 12 }, (_, i) => insert(i + 1)))
  await sleep(200)
  await other.query('commit')
  for (const { errors } of await waiting) assert.equal(errors, undefined)
  assert.deepEqual(await sql('select n from counter'), [{ n: 13 }])
})

test('a lock that the database itself refuses to wait for is the error that it always was', async (t) => {
  const { graphql, sql, database } = await start(t)
  await sql(`
    create function impatient() returns trigger language plpgsql as $$ begin
      perform from note where id = -1 for update nowait;
      return new;
    end $$;
    create trigger impatient before update on counter for each row execute function impatient()`)
  const count = () => graphql<Answer>('mutation { update_counter_by_pk(pk_columns: {id: 1}, _inc: {n: 1}) { n } }')
  for (let i = 0; i < 3; i++) assert.equal((await count()).errors, undefined)
  const other = await stranger(t, database.url)
  await other.query('begin; select from note for update')
  assert.deepEqual(
    (await count()).errors?.map(({ message, extensions: { code } }) => ({ message, code })),
    [{ message: 'database query error', code: 'unexpected' }],
  )
  await other.query('commit')
  assert.equal((await count()).errors, undefined)
  assert.deepEqual(await sql('select n from counter'), [{ n: 4 }])
})

test('additions to one row by many at once are all counted', async (t) => {
  const { graphql, sql } = await start(t)
  const count = () => graphql<Answer>('mutation { update_counter_by_pk(pk_columns: {id: 1}, _inc: {n: 1}) { n } }')
  for (let i = 0; i < 5; i++) {
    for (const { errors } of await Promise.all(Array.from({ length: 40 }, count))) assert.equal(errors, undefined)
  }
  assert.deepEqual(await sql('select n from counter'), [{ n: 200 }])
})

test('the end of the connection fails those that were on it, and the next ones have another', async (t) => {
  const { insert, sharedPid, sql } = await start(t)
  const pid = await sharedPid()
  await sql('select pg_terminate_backend($1)', [pid])
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => insert(i)))
  for (const { data, errors } of answers) {
    if (!data) assert.match(errors![0]!.message, /connection error|postgres tx error/)
  }
  const kept = answers.flatMap(({ data }) => data?.insert_note_one.id ?? [])
  assert.deepEqual(
    (await sql<{ id: number }>('select id from note where id >= 0 order by id')).map(({ id }) => id),
    kept,
  )
  assert.notEqual(await sharedPid(), pid)
})

test('a shared connection is replaced when it has lived for its time', async (t) => {
  const { sharedPid } = await start(t, { connLifetime: 1 })
  const pid = await sharedPid()
  for (const began = Date.now(); (await sharedPid()) === pid; await sleep(50)) {
    assert.ok(Date.now() - began < 15_000)
  }
})
