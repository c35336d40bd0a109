// The clock on a store in memory, which counts its queries and follows the rules of Agenda's backends. Each test but the first shows a
// problem of Agenda that the clock works around.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobParameters, JobRepository } from 'agenda'
import { Clock } from '../../plugins/jobs/clock/clock.ts'
import { entryOf, type Store } from '../../plugins/jobs/clock/store.ts'
import { eventually } from '../support/waiting.ts'

const hour = 3_600_000

interface World {
  /** The stored entries; a test may edit them. */
  readonly jobs: Map<string, JobParameters>
  /** The store's calls. */
  readonly calls: string[]
  readonly woken: string[]
  readonly clock: Clock
  readonly repository: Partial<JobRepository>
}

/** A clock that has read these entries; a woken job is due again in an hour. */
async function clockOf(t: TestContext, entries: readonly Partial<JobParameters>[]): Promise<World> {
  const jobs = new Map<string, JobParameters>()
  for (const [index, { name = `job ${index}`, ...rest }] of entries.entries()) {
    jobs.set(name, { name, type: 'single', priority: 0, data: {}, nextRunAt: null, ...rest })
  }
  const calls: string[] = []
  const repository: Partial<JobRepository> = {
    async getNextJobToRun(name, nextScanAt, deadline) {
      calls.push('lock')
      const job = jobs.get(name)
      const isFree = job && !job.lockedAt && job.nextRunAt && job.nextRunAt <= nextScanAt
      const isExpired = job?.lockedAt && job.lockedAt <= deadline
      if (!job || !(isFree || isExpired)) return undefined
      job.lockedAt = new Date()
      return { ...job }
    },
    async saveJobState({ name, nextRunAt, lockedAt }) {
      calls.push('save')
      Object.assign(jobs.get(name)!, { nextRunAt, lockedAt })
    },
    async saveJob(job) {
      const saved = { ...jobs.get(job.name), ...job }
      if (job.nextRunAt! <= new Date()) saved.nextRunAt = jobs.get(job.name)?.nextRunAt ?? job.nextRunAt
      jobs.set(job.name, saved)
      return { ...saved }
    },
    unlockJob: async () => {
      throw new Error('the database is away')
    },
    unlockJobs: async () => {},
  }
  const opened = Promise.withResolvers<void>()
  const store: Store = {
    ...{ name: 'a test', repository: repository as JobRepository, shown: String },
    ...{ open: async () => {}, close: async () => {} },
    entries: async () => [...jobs.values()].map(entryOf),
  }
  const woken: string[] = []
  const clock = new Clock({
    ...{
      store,
      instance: 'one',
      names: () => [...jobs.keys()],
      onScan: async () => opened.resolve(),
      onTrouble: () => {},
    },
    onDue: async (name) => {
      woken.push(name)
      return Date.now() + hour
    },
  })
  await clock.start()
  t.after(() => clock.stop())
  await opened.promise
  return { jobs, calls, woken, clock, repository }
}

const past = () => new Date(Date.now() - 1000)

test('many due jobs cause few concurrent statements, and all are woken', async (t) => {
  const names = Array.from({ length: 40 }, (_, i) => `job ${i}`)
  const nextRunAt = new Date(Date.now() + 300)
  const { woken, repository } = await clockOf(
    t,
    names.map((name) => ({ name, nextRunAt })),
  )
  const lock = repository.getNextJobToRun!
  let [asked, most] = [0, 0]
  repository.getNextJobToRun = async (...options) => {
    most = Math.max(most, ++asked)
    await sleep(5)
    asked--
    return lock(...options)
  }
  await eventually(() => woken.length >= names.length)
  assert.deepEqual(woken.toSorted(), names.toSorted())
  assert.ok(most <= 4, `${most} at once`)
})

test('a wake costs two statements: one locks the job, one stores its next time', async (t) => {
  const { calls, jobs } = await clockOf(t, [{ nextRunAt: past() }])
  await eventually(() => calls.includes('save'))
  await sleep(50)
  assert.deepEqual(calls, ['lock', 'save'])
  assert.equal(jobs.get('job 0')?.lockedAt, undefined)
})

test('jobs that are not due are not queried', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { calls } = await clockOf(t, [{ nextRunAt: past() }])
  await eventually(() => calls.includes('save'))
  calls.length = 0
  // Agenda would query each job that it knows.
  for (let round = 0; round < 3; round++) t.mock.timers.tick(10_000)
  await sleep(50)
  assert.deepEqual(calls, [])
})

test('a job that another instance has moved is not woken before its time', async (t) => {
  const { calls, jobs, woken, clock } = await clockOf(t, [{ nextRunAt: new Date(Date.now() + hour) }])
  await clock.arm('job 0', Date.now() + 200)
  jobs.get('job 0')!.nextRunAt = new Date(Date.now() + 2000)
  await eventually(() => calls.includes('lock'))
  await sleep(50)
  assert.deepEqual(woken, [])
})

test('a job with an expired lock and a later time is woken, and not unlocked without waiting', async (t) => {
  const nextRunAt = new Date(Date.now() + hour)
  const { woken, jobs } = await clockOf(t, [{ nextRunAt, lockedAt: new Date(Date.now() - 10_000) }])
  await eventually(() => woken.length > 0)
  await eventually(() => !jobs.get('job 0')?.lockedAt)
})

test('a job is woken although its lock has aged while the store answered', async (t) => {
  const { jobs, woken, repository, clock } = await clockOf(t, [{ nextRunAt: new Date(Date.now() + hour) }])
  const lock = repository.getNextJobToRun!
  repository.getNextJobToRun = async (...options) => {
    const job = await lock(...options)
    return job && { ...job, lockedAt: new Date(Date.now() - 10_000) }
  }
  for (let wakes = 1; wakes <= 3; wakes++) {
    await clock.arm('job 0', Date.now())
    await eventually(() => woken.length === wakes && !jobs.get('job 0')?.lockedAt)
  }
})

test('a job armed for a past time is woken now, although its stored time is later', async (t) => {
  const { woken, clock } = await clockOf(t, [{ nextRunAt: new Date(Date.now() + hour) }])
  await clock.arm('job 0', Date.now() - 1000)
  await eventually(() => woken.length > 0)
})

test('a job whose next time cannot be stored is woken again', async (t) => {
  const { woken, repository, clock } = await clockOf(t, [{ nextRunAt: past() }])
  repository.saveJobState = async () => {
    throw new Error('the database is away')
  }
  await eventually(() => woken.length > 0)
  // Its lock expires after 4 s, and a scan finds it within 5 s.
  await eventually(() => woken.length > 1, 10_000)
  assert.ok(clock.isWell)
})
