// What happens around a statement that is cancelled on a connection that others share.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Database, type DatabaseOptions } from '../../core/database/database.ts'
import { prepare } from '../../core/database/prepared-statement.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'

const statement = (text: string) => prepare({ text, params: [] })
const nap = (seconds: number, answer: string) =>
  statement(`select '${answer}' from (select pg_sleep(${seconds})) as slept`)

/** A database whose shared connections are open. */
async function start(t: test.TestContext, options: Partial<DatabaseOptions> = {}) {
  const { url, sql } = await testDatabase(t)
  const database = new Database({
    url,
    connections: 5,
    idleTimeout: 10,
    lifetime: null,
    preparedStatements: true,
    isolation: 'read-committed',
    onConnectionError: () => {},
    ...options,
  })
  atEnd(t, () => database.close())
  await database.open()
  while (database.connections.shared < 2) {
    await database.answer(statement('select 1'), [])
    await sleep(10)
  }
  /** Waits until statements run that hold the words. */
  const running = async (...words: string[]) => {
    for (;;) {
      const rows = await sql<{ pid: number; query: string }>(
        `select pid, query from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
      const pids = words.map((word) => rows.find(({ query }) => query.includes(word))?.pid)
      if (pids.every((pid) => pid !== undefined)) return pids
      await sleep(10)
    }
  }
  return { database, sql, running }
}

test('a statement behind one that is given up runs when that one is cancelled', async (t) => {
  const { database, running } = await start(t)
  const controllers = [new AbortController(), new AbortController()]
  const slow = controllers.map(({ signal }, i) => database.answer(nap(60, `slow${i}`), [], signal))
  const behind = Array.from({ length: 6 }, (_, i) => database.answer(statement(`select 'quick${i}'`), []))
  assert.deepEqual([database.connections.shared, database.connections.pending], [2, 8])
  await running('slow0', 'slow1')
  const refused = Promise.all(slow.map((answer) => assert.rejects(answer, /^Error: enough$/)))
  for (const controller of controllers) controller.abort(new Error('enough'))
  await refused
  assert.deepEqual(
    (await Promise.all(behind)).map(String),
    behind.map((_, i) => `quick${i}`),
  )
})

test('one that is given up while it waits behind another is cancelled when its turn comes', async (t) => {
  const { database } = await start(t)
  const first = [0, 1].map((i) => database.answer(nap(0.5, `first${i}`), []))
  const controller = new AbortController()
  const given = [0, 1].map((i) => database.answer(nap(60, `given${i}`), [], controller.signal))
  const last = [0, 1].map((i) => database.answer(statement(`select 'last${i}'`), []))
  const refused = Promise.all(given.map((answer) => assert.rejects(answer, /^Error: enough$/)))
  controller.abort(new Error('enough'))
  await refused
  assert.deepEqual((await Promise.all([...first, ...last])).map(String), ['first0', 'first1', 'last0', 'last1'])
})

test('a statement that falls to the cancelling of another one runs again', async (t) => {
  const { database, sql, running } = await start(t)
  await sql('create table awake ()')
  const napUnlessAwake = (answer: string) =>
    statement(
      `select '${answer}' from (select pg_sleep(case when exists (select from awake) then 0 else 60 end)) as slept`,
    )
  const controller = new AbortController()
  const slow = [0, 1].map((i) => database.answer(nap(60, `slow${i}`), [], controller.signal))
  for (const answer of slow) answer.catch(() => {})
  const behind = [0, 1].map((i) => database.answer(napUnlessAwake(`behind${i}`), []))
  await running('slow0', 'slow1')
  controller.abort(new Error('enough'))
  for (const answer of slow) await assert.rejects(answer, /^Error: enough$/)
  const pids = await running('behind0', 'behind1')
  await sql('insert into awake default values')
  for (const pid of pids) await sql('select pg_cancel_backend($1)', [pid])
  assert.deepEqual((await Promise.all(behind)).map(String), ['behind0', 'behind1'])
})

test('a statement that somebody else cancels fails, and stays so', async (t) => {
  const { database, sql, running } = await start(t)
  const answer = database.answer(nap(60, 'alone'), [])
  answer.catch(() => {})
  const [pid] = await running('alone')
  await sql('select pg_cancel_backend($1)', [pid])
  await assert.rejects(answer, { name: 'TrellisError', message: 'database query error' })
})

test('a write that is given up is undone, and those behind it on its connection are done', async (t) => {
  const { database, sql, running } = await start(t)
  await sql('create table kept (word text)')
  const text = `insert into kept select $1 from (select pg_sleep($2::float)) as slept returning word`
  const insertion = statement(text)
  const keep = (word: string, seconds: number, signal: AbortSignal | null = null) =>
    database.change(insertion, [word, String(seconds)], { signal, isBounded: true })
  const shared = database.connections.shared
  do await keep('before', 0)
  while (database.connections.shared < shared + 2)
  const controller = new AbortController()
  const slow = [0, 1].map((i) => keep(`slow${i}`, 60, controller.signal))
  const behind = [0, 1, 2, 3].map((i) => keep(`behind${i}`, 0))
  assert.equal(database.connections.pending, 6)
  const refused = Promise.all(slow.map((answer) => assert.rejects(answer, /^Error: enough$/)))
  await running('pg_sleep')
  controller.abort(new Error('enough'))
  await refused
  assert.deepEqual((await Promise.all(behind)).map(String), ['behind0', 'behind1', 'behind2', 'behind3'])
  const kept = await sql<{ word: string }>(`select distinct word from kept where word <> 'before' order by word`)
  assert.deepEqual(
    kept.map(({ word }) => word),
    ['behind0', 'behind1', 'behind2', 'behind3'],
  )
})

test('a connection of the pool is given back when the request to cancel has arrived', async (t) => {
  const { database, running } = await start(t, { connections: 1, preparedStatements: true })
  for (let i = 0; i < 5; i++) {
    const controller = new AbortController()
    const work = database.transaction(
      async (transaction) => {
        await transaction.rows(`select 'work${i}', pg_sleep(60)`)
      },
      { signal: controller.signal },
    )
    await running(`work${i}`)
    controller.abort(new Error('enough'))
    await assert.rejects(work, /^Error: enough$/)
    assert.deepEqual(await database.rows('select pg_sleep(0.02)::text as slept'), [{ slept: '' }])
  }
})

test('a transaction that is given up between two statements sends no more of them', async (t) => {
  const { database, sql } = await start(t)
  await sql('create table seen (n integer)')
  const controller = new AbortController()
  const work = database.transaction(
    async (transaction) => {
      await transaction.rows('insert into seen values (1)')
      controller.abort(new Error('enough'))
      await transaction.rows('insert into seen values (2)')
    },
    { signal: controller.signal },
  )
  await assert.rejects(work, /^Error: enough$/)
  assert.deepEqual(await sql('select * from seen'), [])
})
