// Agenda on MongoDB: jobs run as on PostgreSQL, whatever happens to MongoDB.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../../plugins/jobs/index.ts'
import type { LogEntry } from '../../sdk/services.ts'
import { testDatabase } from '../support/database.ts'
import { startMongo, testMongo } from '../support/mongo.ts'
import { eventually } from '../support/waiting.ts'
import { startWith } from './worker.ts'

/** A job that records its occurrences. */
function sweeper() {
  const due: number[] = []
  const job: Job = { name: 'sweep', schedule: { every: 1000 }, run: ({ dueAt }) => void due.push(dueAt.getTime()) }
  return { due, job }
}

/** Occurrences that were run, each once, in order. */
function assertOnceEach(due: readonly number[]): void {
  assert.deepEqual(due, [...new Set(due)].sort())
}

/** On a slow machine, only the last of several late occurrences runs. The ledger is compared each 15 s. */
function assertNoneLeftOut(due: readonly number[]): void {
  const gaps = due.slice(1).map((time, i) => time - due[i]!)
  assert.ok(Math.max(...gaps) < 10_000, `ms between two: ${gaps}`)
}

/** An observer that keeps the log entries about jobs. */
function listener() {
  const messages: string[] = []
  const log = (entry: LogEntry) => {
    if (entry.type === 'jobs') messages.push(entry.detail.message)
  }
  return { messages, observe: { isEnabled: () => true, log, flush: () => {} } }
}

test('three instances run each occurrence once', async (t) => {
  const mongo = await startMongo(t)
  const database = await testDatabase(t)
  const { due, job } = sweeper()
  const options = { database, settings: { mongodbUrl: mongo.url } }
  await Promise.all([1, 2, 3].map(() => startWith(t, [job], options)))
  await eventually(() => due.length >= 5)
  assertOnceEach(due)
  assertNoneLeftOut(due)
})

test('MongoDB is killed and returns: missed runs are made up for once, GraphQL is unaffected', async (t) => {
  const mongo = await startMongo(t)
  const { messages, observe } = listener()
  const { due, job } = sweeper()
  const trellis = await startWith(t, [job], { settings: { mongodbUrl: mongo.url }, observe })
  await eventually(() => due.length >= 2)
  await mongo.kill()
  await eventually(() => messages.includes('MongoDB, which wakes jobs, does not answer'))
  assert.deepEqual(await trellis.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
  const before = due.length
  await sleep(3000)
  assert.ok(due.length <= before + 1)
  await mongo.start()
  await eventually(() => due.length >= before + 3)
  assertOnceEach(due)
  assert.ok(messages.includes('MongoDB, which wakes jobs, answers again'))
})

test('a server without jobs logs whether MongoDB answers, and each change', async (t) => {
  const mongo = await startMongo(t)
  const { messages, observe } = listener()
  await startWith(t, [], { settings: { mongodbUrl: mongo.url }, observe })
  await eventually(() => messages.length > 0)
  await mongo.kill()
  await eventually(() => messages.length > 1)
  await mongo.start()
  await eventually(() => messages.includes('MongoDB, which wakes jobs, answers again'))
  assert.equal(messages[0], 'MongoDB, which wakes jobs, answers')
  assert.deepEqual([...new Set(messages.slice(1, -1))], ['MongoDB, which wakes jobs, does not answer'])
})

test('a server without jobs logs once that MongoDB is down, and once that it answers', async (t) => {
  const mongo = await testMongo(t)
  const { messages, observe } = listener()
  const trellis = await startWith(t, [], { settings: { mongodbUrl: mongo.url }, observe })
  await eventually(() => messages.length > 0)
  // Longer than the pause before the next query.
  await sleep(7000)
  assert.deepEqual(messages, ['MongoDB, which wakes jobs, does not answer'])
  assert.deepEqual(await trellis.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
  await mongo.start()
  await eventually(() => messages.length > 1)
  assert.deepEqual(messages.slice(1), ['MongoDB, which wakes jobs, answers again'])
})

test('the server starts while MongoDB is down, and runs jobs once it is up', async (t) => {
  const mongo = await testMongo(t)
  const { messages, observe } = listener()
  const { due, job } = sweeper()
  const trellis = await startWith(t, [job], { settings: { mongodbUrl: mongo.url }, observe })
  assert.equal((await trellis.request('/healthz')).status, 200)
  await eventually(() => messages.includes('MongoDB, which wakes jobs, does not answer'))
  assert.deepEqual(due, [])
  await mongo.start()
  await eventually(() => due.length >= 2)
  assertOnceEach(due)
})

test('moving to MongoDB and back, instance by instance, neither loses nor doubles an occurrence', async (t) => {
  const mongo = await startMongo(t)
  const database = await testDatabase(t)
  const { due, job } = sweeper()
  const inPostgres = await startWith(t, [job], { database })
  await eventually(() => due.length >= 2)
  const inMongo = await startWith(t, [job], { database, settings: { mongodbUrl: mongo.url } })
  await sleep(2500)
  await inPostgres.engine.close()
  await eventually(() => due.length >= 7)
  const again = await startWith(t, [job], { database })
  await inMongo.engine.close()
  await eventually(() => due.length >= 9)
  await again.engine.close()
  assertOnceEach(due)
  assertNoneLeftOut(due)
})

test('entries lost by MongoDB are created again', async (t) => {
  const mongo = await startMongo(t)
  const { due, job } = sweeper()
  await startWith(t, [job], { settings: { mongodbUrl: mongo.url } })
  await eventually(() => due.length >= 2)
  const { MongoClient } = await import('mongodb')
  const client = new MongoClient(mongo.url)
  await client.db().dropDatabase()
  await client.close()
  const before = due.length
  await eventually(() => due.length >= before + 3)
  assertOnceEach(due)
})
