// PgBouncer without a free connection to PostgreSQL, as during a restart of PostgreSQL.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connectTo, testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { pooledTest, startPgBouncer } from '../support/pgbouncer.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const size = 3

/** A database behind a PgBouncer whose connections may all be in use, so that waiting clients are soon refused. */
async function pooled(t: TestContext) {
  const direct = await testDatabase(t, { sql: librarySql })
  const url = await startPgBouncer(t, direct.url, { default_pool_size: size, query_wait_timeout: 1 })
  const takers = await Promise.all(Array.from({ length: size }, () => connectTo(t, url)))
  const all = (text: string) => Promise.all(takers.map((taker) => taker.query(text)))
  return { database: { ...direct, url }, take: () => all('begin'), giveBack: () => all('rollback') }
}

pooledTest('what PgBouncer ends is told as a lost connection', async (t) => {
  const { database, take, giveBack } = await pooled(t)
  const trellis = await startTrellis(t, { database, settings: { usePreparedStatements: false } })
  await trellis.op('bulk', trackLibrary)
  const rename = 'mutation { update_book_by_pk(pk_columns: {id: 1}, _set: {title: "Dusk"}) { title } }'
  await take()
  const refused = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(rename)
  const [error] = refused.errors
  assert.equal(error?.message, 'connection error')
  assert.deepEqual({ ...error?.extensions, path: '', internal: '' }, { code: 'postgres-error', path: '', internal: '' })
  await giveBack()
  assert.deepEqual(await trellis.graphql(rename), { data: { update_book_by_pk: { title: 'Dusk' } } })
})

pooledTest('a start waits for what PgBouncer cannot give yet', async (t) => {
  const { database, take, giveBack } = await pooled(t)
  await take()
  const options = ['--database-url', database.url, '--use-prepared-statements', 'false', '--retries', '20']
  const server = spawnTrellis(t, ['serve', '--server-port', '0', ...options])
  await server.output(/cannot connect \(08P01\), trying again/)
  await giveBack()
  await server.ready()
})

for (const usePreparedStatements of [true, false]) {
  const how = usePreparedStatements ? 'on' : 'off'
  pooledTest(
    `with prepared statements ${how}, requests behind PgBouncer are answered right, and change once`,
    async (t) => {
      const direct = await testDatabase(t, { sql: librarySql })
      const database = { ...direct, url: await startPgBouncer(t, direct.url, { default_pool_size: size }) }
      const trellis = await startTrellis(t, { database, settings: { usePreparedStatements } })
      await trellis.op('bulk', trackLibrary)
      await direct.sql('create table visit (id int primary key)')
      await trellis.op('track_table', 'visit')
      const requests = Array.from({ length: 120 }, (_, i) =>
        i % 3 === 0
          ? { text: `mutation { insert_visit_one(object: {id: ${i}}) { id } }`, data: { insert_visit_one: { id: i } } }
          : { text: `{ f${i % 7}: book_by_pk(id: 1) { id } }`, data: { [`f${i % 7}`]: { id: 1 } } },
      )
      const answers = await Promise.all(requests.map(({ text }) => trellis.graphql(text)))
      assert.deepEqual(
        answers,
        requests.map(({ data }) => ({ data })),
      )
      assert.deepEqual(await direct.sql('select count(*)::int from visit'), [{ count: 40 }])
      const named = `select count(*)::int as n from pg_stat_activity where application_name like 'trellis sql %'`
      const headers = { 'x-request-id': 'slow' }
      const running = trellis.opError('run_sql', { sql: 'select pg_sleep(60)' }, { version: 2, headers })
      await eventually(async () => (await direct.sql<{ n: number }>(named))[0]?.n === 1)
      assert.deepEqual(await trellis.op('cancel_sql', { request_id: 'slow' }), { cancelled: 1 })
      assert.match(JSON.stringify((await running).body), /canceling statement due to user request/)
      assert.deepEqual(await direct.sql(named), [{ n: 0 }])
    },
  )
}
