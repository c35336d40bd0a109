// The effects of aborting a statement, on it and on concurrent ones.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseOptions } from '../../core/database/placing/database-options.ts'
import { prepare } from '../../core/database/sql/prepared-statement.ts'
import { openDatabase, read } from '../support/connections.ts'

const nap = (seconds: number, answer: string) => read(`select '${answer}' from (select pg_sleep(${seconds})) as slept`)

async function start(t: TestContext, options: Partial<DatabaseOptions> = {}) {
  const world = await openDatabase(t, options)
  /** Waits until statements run that hold the words. */
  const running = async (...words: string[]) => {
    for (;;) {
      const rows = await world.sql<{ pid: number; query: string }>(
        `select pid, query from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
      const pids = words.map((word) => rows.find(({ query }) => query.includes(word))?.pid)
      if (pids.every((pid) => pid !== undefined)) return pids
      await sleep(10)
    }
  }
  const untilQuiet = async () => {
    const asked = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    while ((await world.sql(asked)).length > 0) await sleep(10)
  }
  return { ...world, running, untilQuiet }
}

test('an aborted read fails at once with the reason, and is cancelled in the database', async (t) => {
  const { database, running, untilQuiet } = await start(t)
  const controller = new AbortController()
  const given = database.answer(nap(60, 'given'), [], { signal: controller.signal })
  const refused = assert.rejects(given, /^Error: enough$/)
  await running('given')
  controller.abort(new Error('enough'))
  await refused
  await untilQuiet()
})

test('a read is cancelled when no client waits for its answer', async (t) => {
  const { database, running, untilQuiet } = await start(t)
  const controller = new AbortController()
  const unwanted = database.answer(nap(60, 'unwanted'), [], { whenUnwanted: () => controller.signal })
  const refused = assert.rejects(unwanted, /^Error: gone$/)
  await running('unwanted')
  controller.abort(new Error('gone'))
  await refused
  await untilQuiet()
})

test('a statement that another session cancels fails, and is not repeated', async (t) => {
  const { database, sql, running } = await start(t)
  const answer = database.answer(nap(60, 'alone'), [])
  answer.catch(() => {})
  const [pid] = await running('alone')
  await sql('select pg_cancel_backend($1)', [pid])
  await assert.rejects(answer, { name: 'TrellisError', message: 'database query error' })
})

test('an aborted write is undone, and concurrent ones are committed', async (t) => {
  const { database, sql, running } = await start(t)
  await sql('create table kept (word text)')
  const insertion = prepare({
    text: `insert into kept select $1 from (select pg_sleep($2::float)) as slept returning word`,
    params: [],
  })
  const keep = (word: string, seconds: number, signal: AbortSignal | null = null) =>
    database.change(insertion, [word, String(seconds)], { signal })
  const controller = new AbortController()
  const slow = [0, 1].map((i) => keep(`slow${i}`, 60, controller.signal))
  const beside = [0, 1, 2, 3].map((i) => keep(`beside${i}`, 0))
  const refused = Promise.all(slow.map((answer) => assert.rejects(answer, /^Error: enough$/)))
  await running('pg_sleep')
  controller.abort(new Error('enough'))
  await refused
  const words = ['beside0', 'beside1', 'beside2', 'beside3']
  assert.deepEqual((await Promise.all(beside)).map(String), words)
  const kept = await sql<{ word: string }>(`select word from kept order by word`)
  assert.deepEqual(
    kept.map(({ word }) => word),
    words,
  )
})

test('a connection returns to the pool once its cancel request has arrived', async (t) => {
  const { database, running } = await start(t, { connections: 1 })
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

test('a transaction that is aborted between two statements sends no more of them', async (t) => {
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
  assert.deepEqual(await sql('select n from seen'), [])
})
