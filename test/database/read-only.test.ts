// A database that takes no changes for a while: a setting makes it read-only, or a standby is behind the URL.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/cleanup.ts'
import { connectTo } from '../support/database.ts'
import { embeddedPrograms, makePostgres } from '../support/own-postgres.ts'
import { startProxy } from '../support/proxy.ts'
import { startPair } from '../support/standby.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = 'create table note (id serial primary key, body text not null)'

const mutations = [
  'mutation { insert_note_one(object: {body: "one"}) { body } }',
  'mutation { a: insert_note_one(object: {body: "a"}) { body } b: insert_note_one(object: {body: "b"}) { body } }',
  'mutation { insert_note(objects: [{body: "c"}]) { affected_rows } }',
]

async function serve(t: TestContext, url: string, direct = url): Promise<TestTrellis> {
  const client = await connectTo(t, direct)
  const sql: TestTrellis['sql'] = async (text, values) =>
    (await client.query(text, values as unknown[] | undefined)).rows
  await sql(schema)
  const trellis = await startTrellis(t, { database: { url, sql } })
  await trellis.op('track_table', 'note')
  // Often enough for statements to be prepared, on several connections.
  for (let run = 0; run < 3; run++)
    await Promise.all(mutations.flatMap((query) => [query, query]).map((query) => trellis.graphql(query)))
  return trellis
}

interface Body {
  readonly errors?: readonly unknown[]
}

const read = '{ note_aggregate { aggregate { count } } }'

/** Mutations are refused with the reason; reads go on. */
async function assertRefused(trellis: TestTrellis): Promise<void> {
  for (const query of mutations) {
    const { body, text } = await trellis.request<Body>('/v1/graphql', { body: { query } })
    assert.ok(body.errors, text)
    assert.match(text, /read-only|standby|recovery/i)
  }
  assert.equal((await trellis.graphql<Body>(read)).errors, undefined)
}

const timeoutMillis = 60_000

/** Waits until mutations succeed again; a few may be refused on old connections. */
async function untilServed(trellis: TestTrellis): Promise<void> {
  for (const began = Date.now(); ; await sleep(100)) {
    const answers = await Promise.all(mutations.map((query) => trellis.graphql<Body>(query)))
    if (answers.every(({ errors }) => errors === undefined)) break
    assert.ok(Date.now() - began < timeoutMillis, JSON.stringify(answers))
  }
  for (let run = 0; run < 3; run++) {
    for (const query of mutations) assert.equal((await trellis.graphql<Body>(query)).errors, undefined)
  }
}

test('mutations are refused while PostgreSQL is read-only, and run afterwards', async (t) => {
  const postgres = await makePostgres({ programs: await embeddedPrograms() })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  const trellis = await serve(t, postgres.url)
  const tell = async (setting: string) => {
    await trellis.sql(`alter system ${setting}`)
    await trellis.sql('select pg_reload_conf()')
    await sleep(500)
  }
  const count = async () => (await trellis.sql('select count(*)::int from note'))[0]
  await tell('set default_transaction_read_only = on')
  // Connections hear of it a little later.
  const [mutation] = mutations
  await eventually(async () => (await trellis.graphql<Body>(mutation!)).errors !== undefined)
  const before = await count()
  await assertRefused(trellis)
  assert.deepEqual(await count(), before)
  await tell('reset default_transaction_read_only')
  await untilServed(trellis)
})

test('mutations are refused while the URL leads to a standby, and run once it is promoted', async (t) => {
  const { primary, standby } = await startPair(t)
  const proxy = await startProxy(t, primary.url)
  const trellis = await serve(t, proxy.url, primary.url)
  const copied = await connectTo(t, standby.url)
  const [{ lsn }] = (await trellis.sql<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')) as [
    { lsn: string },
  ]
  for (let isCopied = false; !isCopied; await sleep(20)) {
    const { rows } = await copied.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [lsn])
    isCopied = rows[0].done
  }
  proxy.redirect(standby.url)
  proxy.cut()
  for (const began = Date.now(); (await trellis.graphql<Body>(read)).errors; await sleep(100)) {
    assert.ok(Date.now() - began < timeoutMillis, 'reads are not served by the standby')
  }
  await assertRefused(trellis)
  await primary.stop()
  await standby.promote()
  await untilServed(trellis)
})
