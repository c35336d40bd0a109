import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestTrellis } from '../support/trellis.ts'
import { refusal, startOffice } from './office.ts'

const limits = { time_limit: { global: 0.3, per_role: { guest: 60 } } }
const exceeded = ['time-limit-exceeded', 'the request took longer than the time limit of 0.3 s']
const clerk = { role: 'clerk' }
/** Has enough time even on a slow machine. */
const patient = { role: 'guest' }

/** Waits until PostgreSQL runs the expected number of sleeping statements. */
async function sleepers({ sql }: TestTrellis, expected: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: string }>(
      `select count(*) from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep' and pid <> pg_backend_pid()`,
    )
    if (Number(row!.count) === expected) return
    await sleep(10)
  }
}

test('a query that takes too long is refused, and PostgreSQL cancels it', async (t) => {
  const trellis = await startOffice(t, limits)
  const body = { query: '{ nap { over } }' }
  const answer = await trellis.request('/v1alpha1/graphql', { ...clerk, body })
  assert.deepEqual([answer.status, refusal(answer.body)], [400, exceeded])
  await sleepers(trellis, 0)
  assert.deepEqual(await trellis.graphql('{ person(limit: 1) { name } }', undefined, patient), {
    data: { person: [{ name: 'Ann' }] },
  })
})

test('other requests on the same connection are answered', async (t) => {
  const trellis = await startOffice(t, limits)
  const name = (id: number) => trellis.graphql(`{ person_by_pk(id: ${id}) { name } }`, undefined, { role: 'guest' })
  await name(1)
  const slow = Array.from({ length: 4 }, () => trellis.graphql('{ nap { over } }', undefined, clerk))
  const quick = Array.from({ length: 40 }, (_, i) => name((i % 3) + 1))
  for (const answer of await Promise.all(slow)) assert.deepEqual(refusal(answer), exceeded)
  const names = ['Ann', 'Bob', 'Cid']
  for (const [i, answer] of (await Promise.all(quick)).entries()) {
    assert.deepEqual(answer, { data: { person_by_pk: { name: names[i % 3] } } })
  }
  await sleepers(trellis, 0)
})

test('every connection can be used again', async (t) => {
  const trellis = await startOffice(t, limits, { settings: { connections: 2 } })
  for (let round = 0; round < 3; round++) {
    const slow = Array.from({ length: 6 }, () => trellis.graphql('{ nap { over } }', undefined, clerk))
    for (const answer of await Promise.all(slow)) assert.deepEqual(refusal(answer), exceeded)
  }
  await sleepers(trellis, 0)
  const insert = 'mutation { insert_patience_one(object: { seconds: 0 }) { seconds } }'
  const changes = await Promise.all(Array.from({ length: 6 }, () => trellis.graphql(insert, undefined, patient)))
  for (const answer of changes) assert.deepEqual(answer, { data: { insert_patience_one: { seconds: 0 } } })
})

test('a mutation that takes too long changes nothing', async (t) => {
  const trellis = await startOffice(t, limits)
  for (const seconds of [[30], [0, 30], [0, 0, 30]]) {
    const fields = seconds.map((each, i) => `a${i}: insert_patience_one(object: { seconds: ${each} }) { id }`)
    const answer = await trellis.graphql(`mutation { ${fields.join(' ')} }`, undefined, clerk)
    assert.deepEqual(refusal(answer), exceeded)
    await sleepers(trellis, 0)
  }
  assert.deepEqual(await trellis.sql('select count(*)::int from patience'), [{ count: 0 }])
})

test('a request that waits for a connection of the pool times out', async (t) => {
  const trellis = await startOffice(t, limits, { settings: { connections: 1 } })
  const insert = (seconds: number, role: string) =>
    trellis.graphql(`mutation { insert_patience_one(object: { seconds: ${seconds} }) { seconds } }`, undefined, {
      role,
    })
  const held = insert(30, 'guest')
  await sleepers(trellis, 1)
  assert.deepEqual(refusal(await insert(0, 'clerk')), exceeded)
  await sleepers(trellis, 1)
  await trellis.sql(
    `select pg_cancel_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep'`,
  )
  assert.equal(refusal(await held)?.[1], 'database query error')
  assert.deepEqual(await insert(0, 'guest'), { data: { insert_patience_one: { seconds: 0 } } })
  assert.deepEqual(await trellis.sql('select count(*)::int from patience'), [{ count: 1 }])
})

test('each operation of a batch has the full time', async (t) => {
  const trellis = await startOffice(t, { time_limit: { global: 3 } })
  const ended = [exceeded[0], 'the request took longer than the time limit of 3 s']
  const body = [
    { query: '{ nap { over } }' },
    { query: '{ person(limit: 1) { id } }' },
    { query: '{ nap { id over } }' },
  ]
  const { body: answers } = await trellis.request<unknown[]>('/v1/graphql', { ...clerk, body })
  assert.deepEqual(answers.map(refusal), [ended, null, ended])
})

test('data operations are limited as well', async (t) => {
  const trellis = await startOffice(t, limits)
  const insert = { table: 'patience', objects: [{ seconds: 30 }] }
  assert.deepEqual(await trellis.opError('insert', insert, clerk), {
    status: 400,
    body: { path: '$', error: exceeded[1], code: exceeded[0] },
  })
  assert.deepEqual(await trellis.op('count', { table: 'patience' }, patient), { count: 0 })
})

test('administrators and roles with a higher limit have more time', async (t) => {
  const trellis = await startOffice(t, limits)
  for (const role of ['admin', 'guest']) {
    const mutation = 'mutation { insert_patience_one(object: { seconds: 0.5 }) { seconds } }'
    assert.deepEqual(await trellis.graphql(mutation, undefined, { role }), {
      data: { insert_patience_one: { seconds: 0.5 } },
    })
  }
})
