// Jobs that are removed during slow statements of the ledger about them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../plugins/jobs/clock/clock.ts'
import { ClusterJobs } from '../../plugins/jobs/cluster-jobs.ts'
import type { Ledger } from '../../plugins/jobs/ledger.ts'
import { Runs } from '../../plugins/jobs/runs.ts'

const observe = { isEnabled: () => false, log: () => assert.fail('nothing is reported'), flush: () => {} }

/** Jobs on a ledger of the test's, and a clock that wakes nothing. */
async function startJobs(ledger: Partial<Ledger>): Promise<ClusterJobs> {
  const clock: Partial<Clock> = { start: async () => {}, remove: async () => {}, entry: () => undefined }
  const jobs = new ClusterJobs({
    ledger: { rows: async () => [], declare: async () => {}, remove: async () => {}, ...ledger } as Ledger,
    ...{ runs: new Runs(observe), observe, createClock: async () => clock as Clock },
  })
  jobs.declare({ name: 'other', run: () => {} }, () => {})
  await jobs.start()
  return jobs
}

test('a job removed during its claim does not begin', async () => {
  const answered = Promise.withResolvers<void>()
  const jobs = await startJobs({
    async claim() {
      await answered.promise
      return { isGranted: true, wokenAt: null, wakeAt: null }
    },
  })
  const job = jobs.declare(
    { name: 'sweep', schedule: { every: 1000 }, run: () => assert.fail('it was begun') },
    () => {},
  )
  const due = jobs.due('sweep')
  await job.remove()
  answered.resolve()
  assert.equal(await due, null)
  await turn()
})

test('a job removed while it is declared leaves no entry', async () => {
  const rows = new Set<string>()
  const answered = Promise.withResolvers<void>()
  const jobs = await startJobs({
    async declare(name) {
      await answered.promise
      rows.add(name)
    },
    async remove(name) {
      rows.delete(name)
    },
  })
  const job = jobs.declare({ name: 'sweep', schedule: { every: 1000 }, run: () => {} }, () => {})
  const removed = job.remove()
  answered.resolve()
  await removed
  await turn()
  assert.deepEqual([...rows], [])
})
