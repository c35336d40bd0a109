// The clock on a store of the test's, which says how it is asked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobParameters, JobRepository } from 'agenda'
import { Clock } from '../../plugins/jobs/clock.ts'
import { entryOf, type Store } from '../../plugins/jobs/store.ts'
import { eventually } from '../support/waiting.ts'

test('many due jobs cause few concurrent statements, and all are woken', async (t) => {
  const names = Array.from({ length: 40 }, (_, i) => `job ${i}`)
  const nextRunAt = new Date(Date.now() - 1000)
  const job = (name: string): JobParameters => ({ name, nextRunAt, type: 'single', priority: 0, data: {} })
  let asked = 0
  let most = 0
  const repository: Partial<JobRepository> = {
    async getNextJobToRun(name) {
      most = Math.max(most, ++asked)
      await sleep(5)
      asked--
      return { ...job(name), lockedAt: new Date() }
    },
    saveJobState: async () => {},
    unlockJobs: async () => {},
  }
  const store: Store = {
    ...{ name: 'a test', repository: repository as JobRepository, shown: String },
    ...{ open: async () => {}, close: async () => {} },
    entries: async () => names.map((name) => entryOf(job(name))),
  }
  const woken: string[] = []
  const clock = new Clock({
    ...{ store, instance: 'one', names: () => names, onScan: async () => {}, onTrouble: () => {} },
    onDue: async (name) => {
      woken.push(name)
      return null
    },
  })
  await clock.start()
  t.after(() => clock.stop())
  await eventually(() => woken.length >= names.length)
  assert.deepEqual(woken.toSorted(), names.toSorted())
  assert.ok(most <= 4, `${most} at once`)
})
