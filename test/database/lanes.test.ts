// Reads that share connections: which reads do, and the results when one is slow or a connection is lost.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseOptions } from '../../core/database/placing/database-options.ts'
import { Lanes } from '../../core/database/placing/lanes.ts'
import type { PooledDatabase } from '../../core/database/placing/pooled-database.ts'
import type { PreparedStatement } from '../../core/database/sql/prepared-statement.ts'
import { StatementHistory } from '../../core/database/sql/statement-history.ts'
import { connect } from '../../core/database/wire/connecting.ts'
import { atEnd } from '../support/cleanup.ts'
import { openDatabase, read } from '../support/connections.ts'
import { testDatabase } from '../support/database.ts'
import { closeGate, gateSql } from '../support/gate.ts'

const pidOf = read('select pg_backend_pid()::text')

/** Makes a statement count as short, however busy the machine is, and opens the lanes. */
async function settle(database: PooledDatabase, statement: PreparedStatement, values: string[] = []): Promise<void> {
  for (const started = Date.now(); !statement.history || database.connections.shared < 2; await sleep(5)) {
    assert.ok(Date.now() - started < 60_000, 'the lanes do not open')
    await database.answer(statement, values)
    makeShort(statement)
  }
}

const makeShort = ({ history }: PreparedStatement) => {
  while (!history!.isShort) history!.ranAlone(1, 1)
}

const pids = async (database: PooledDatabase, count: number) =>
  new Set((await Promise.all(Array.from({ length: count }, () => database.answer(pidOf, [])))).map(String))

async function start(t: TestContext, options: Partial<DatabaseOptions> = {}) {
  const world = await openDatabase(t, options)
  await settle(world.database, pidOf)
  return world
}

test('reads that were short share two connections', async (t) => {
  const { database } = await start(t)
  makeShort(pidOf)
  const answers = Array.from({ length: 2 }, () => database.answer(pidOf, []))
  assert.equal(database.connections.pending, 2)
  assert.equal(database.connections.shared, 2)
  assert.equal(new Set((await Promise.all(answers)).map(String)).size, 2)
})

test('a read goes onto the lane that answers sooner, not onto the one with fewer reads', async (t) => {
  const { url } = await testDatabase(t)
  const lanes = new Lanes({
    connect: () => connect({ url, settingNames: [], timeoutMillis: 5000 }),
    count: 2,
    atWork: () => 0,
    lifetimeMillis: null,
  })
  atEnd(t, () => lanes.close())
  while (lanes.counts.shared < 2) {
    lanes.pick()
    await sleep(5)
  }
  const run = (lane: ReturnType<typeof lanes.pick>, seconds: number) => {
    const text = `select pg_sleep(${seconds})::text`
    // On a slow machine, a statement may have to move to another connection.
    const elsewhere = async () => null
    const explained = (error: unknown) => error
    const history = new StatementHistory()
    return lane!.run({ text, values: [], name: null, history, whenUnwanted: null, elsewhere, explained }, null)
  }
  const slow = lanes.pick()
  // A lane whose backend gets half of a processor: each answer is slow, but none slow enough to avoid the lane.
  for (let i = 0; i < 10; i++) await run(slow, 0.003)
  const one = run(slow, 0)
  const fast = lanes.pick()
  assert.notEqual(fast, slow)
  const two = [run(fast, 0), run(fast, 0)]
  assert.deepEqual([slow!.pending, fast!.pending], [1, 2])
  assert.equal(lanes.pick(), fast)
  await Promise.all([one, ...two])
  const three = run(fast, 0)
  assert.equal(lanes.pick(), slow, 'nothing waits on it, so it is tried again')
  await three
})

test('without prepared statements no connection is shared', async (t) => {
  const { database } = await openDatabase(t, { preparedStatements: false, connections: 5 })
  for (let i = 0; i < 10; i++) await database.answer(pidOf, [])
  await pids(database, 20)
  assert.equal(database.connections.shared, 0)
})

test('a statement that may write runs on a connection of its own', async (t) => {
  const { database } = await start(t)
  const counting = { ...read('select 1'), onlyReads: false } as PreparedStatement
  for (let i = 0; i < 20; i++) await database.answer(counting, [])
  const answers = Array.from({ length: 5 }, () => database.answer(counting, []))
  assert.equal(database.connections.pending, 0)
  await Promise.all(answers)
})

test('the reads behind an unexpectedly slow one run on other connections', async (t) => {
  const { database, sql, url } = await start(t)
  await sql(gateSql)
  const text = `select case when $1::boolean then wait_at_gate()::text || 'waited' else 'went' end`
  const slow = read(text)
  await settle(database, slow, ['false'])
  const gate = await closeGate(t, { url })
  const waiting = [0, 1].map(() => database.answer(slow, ['true']))
  assert.ok((await pids(database, 20)).size > 0)
  await gate.waiting(2)
  await sleep(200)
  await gate.open()
  assert.deepEqual((await Promise.all(waiting)).map(String), ['waited', 'waited'])
  assert.equal(slow.history!.isShort, false)
})

test('the history of a read survives a new plan', async (t) => {
  const { database } = await openDatabase(t)
  const text = `select pg_sleep(0.02)::text || 'slept'`
  for (let i = 0; i < 5; i++) await database.answer(read(text), [])
  const again = read(text)
  await database.answer(again, [])
  assert.equal(again.history!.isShort, false)
  const [known, same] = [read('select 1'), read('select 1')]
  for (const statement of [known, same]) await database.answer(statement, [])
  assert.equal(same.history, known.history)
})

test('when PostgreSQL closes a lane, its waiting reads run elsewhere, and only the running one fails', async (t) => {
  const { database, sql } = await start(t)
  const lanes = [...(await pids(database, 10))]
  const nap = read(`select pg_sleep($1::float)::text || 'slept'`)
  await settle(database, nap, ['0'])
  const slow = await Promise.allSettled([
    ...[0, 1].map(() => database.answer(nap, ['5'])),
    ...Array.from({ length: 6 }, () => database.answer(pidOf, [])),
    ...lanes.map((pid) => sleep(100).then(() => sql('select pg_terminate_backend($1)', [Number(pid)]))),
  ])
  const outcomes = slow.slice(0, 8).map(({ status }) => status)
  assert.deepEqual(outcomes, ['rejected', 'rejected', ...Array(6).fill('fulfilled')])
  assert.equal((slow[0] as PromiseRejectedResult).reason.message, 'connection error')
  await settle(database, pidOf)
})

test('a connection that lost its prepared statements makes no request fail', async (t) => {
  const { database, sql } = await start(t)
  await sql(`create function forget() returns text language plpgsql as
    $$ begin execute 'deallocate all'; return pg_backend_pid()::text; end $$`)
  const forgetting = read('select forget()')
  await settle(database, forgetting)
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => database.answer(pidOf, [])),
      database.answer(forgetting, []),
      ...Array.from({ length: 10 }, () => database.answer(pidOf, [])),
    ])
    assert.equal(answers.length, 21)
  }
})

test('prepared statements are closed to make room for others', async (t) => {
  const { database, sql } = await openDatabase(t, { connections: 1 })
  const statements = Array.from({ length: 30 }, (_, i) => read(`select '${i}' ${' '.repeat(20_000)}`))
  for (let round = 0; round < 3; round++) {
    for (const [i, statement] of statements.entries())
      assert.equal(String(await database.answer(statement, [])), `${i}`)
  }
  const [row] = await database.rows<{ count: number }>('select count(*)::int from pg_prepared_statements')
  assert.ok(row!.count < 12, `${row!.count} prepared`)
  assert.deepEqual(await sql('select 1 as one'), [{ one: 1 }])
})

test('settings that transactions make are empty on every connection, before and after', async (t) => {
  const { database } = await openDatabase(t, { connections: 1 })
  const setting = () => database.rows(`select current_setting('service.user', true) as user`)
  assert.deepEqual(await setting(), [{ user: '' }])
  const seen = await database.transaction((own) => own.rows(`select current_setting('service.user') as user`), {
    settings: { 'service.user': 'somebody' },
  })
  assert.deepEqual(seen, [{ user: 'somebody' }])
  assert.deepEqual(await setting(), [{ user: '' }])
})
