// Jobs as plugins declare them: when they run, which instance runs them, and what happens to those that fail.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type Jobs, jobs } from '../../plugins/jobs/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

/** An engine with a plugin that declares these jobs; its service. */
async function startWith(t: TestContext, declared: readonly Job[], options: TrellisOptions = {}) {
  const found = Promise.withResolvers<Jobs>()
  const plugin = definePlugin({
    name: 'worker',
    dependencies: ['jobs'],
    register(engine) {
      const service = engine.use(jobs)
      for (const job of declared) service.declare(job)
      found.resolve(service)
    },
  })
  const trellis = await startTrellis(t, { ...options, plugins: [plugin] })
  return { ...trellis, jobs: await found.promise }
}

test('a job of an interval runs at each of its occurrences, once in all instances together', async (t) => {
  const database = await testDatabase(t)
  const runs: { instance: string; dueAt: number }[] = []
  const jobOf = (instance: string): Job => ({
    name: 'sweep',
    schedule: { every: 1000 },
    run: ({ dueAt }) => void runs.push({ instance, dueAt: dueAt.getTime() }),
  })
  await Promise.all(['a', 'b', 'c'].map((instance) => startWith(t, [jobOf(instance)], { database })))
  await eventually(() => runs.length >= 5)
  const due = runs.map(({ dueAt }) => dueAt)
  assert.deepEqual(
    due,
    due.map((_, i) => due[0]! + i * 1000),
  )
  assert.equal(due[0]! % 1000, 0)
})

test('a job of each instance runs on all of them', async (t) => {
  const database = await testDatabase(t)
  const runs: string[] = []
  const jobOf = (instance: string): Job => ({
    name: 'look',
    per: 'instance',
    schedule: { every: 50 },
    run: () => void runs.push(instance),
  })
  await Promise.all(['a', 'b'].map((instance) => startWith(t, [jobOf(instance)], { database })))
  await eventually(
    () => runs.filter((each) => each === 'a').length > 3 && runs.filter((each) => each === 'b').length > 3,
  )
})

test('a job at a time runs once, however often servers start', async (t) => {
  const database = await testDatabase(t)
  const runs: number[] = []
  const job: Job = {
    name: 'once',
    schedule: { at: new Date(Date.now() + 700) },
    run: ({ dueAt }) => void runs.push(+dueAt),
  }
  const first = await startWith(t, [job], { database })
  const second = await startWith(t, [job], { database })
  await eventually(() => runs.length > 0)
  await eventually(async () => (await first.jobs.states())[0]?.runs === 1)
  await first.engine.close()
  await second.engine.close()
  const third = await startWith(t, [job], { database })
  await sleep(500)
  assert.equal(runs.length, 1)
  assert.equal((await third.jobs.states())[0]?.nextRunAt, null)
})

test('a job without schedule runs when it is woken, at once or at a time', async (t) => {
  const runs: number[] = []
  const trellis = await startWith(t, [])
  const job = trellis.jobs.declare({ name: 'asked', run: () => void runs.push(Date.now()) })
  await job.wake()
  await eventually(() => runs.length === 1)
  const at = new Date(Date.now() + 1500)
  await job.wake(at)
  await job.wake(new Date(Date.now() + 60_000))
  await eventually(() => runs.length === 2)
  assert.ok(runs[1]! >= at.getTime())
})
