// A plugin for tests of workers: it tells which process answers, waits, and runs a job.

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../core/engine/plugin.ts'

const open = { method: 'GET', api: null, auth: 'none' } as const

export default definePlugin({
  name: 'which-worker',
  register({ routes, settings, workers, observe }) {
    const { FAILING_WORKER: failing, FAILING_FILE: file } = process.env
    if (failing === String(workers.own) || (file && existsSync(file))) throw new Error('this worker does not start')
    const self = { worker: workers.own, count: workers.count, pid: process.pid, connections: settings.connections }
    routes.add(
      { ...open, url: '/worker', handle: () => self },
      {
        ...open,
        url: '/slow/:millis',
        async handle({ request }) {
          await sleep(Number((request.params as { millis: string }).millis))
          return self
        },
      },
      {
        ...open,
        url: '/lines',
        handle() {
          for (let i = 0; i < 20; i++) {
            observe.log({ type: 'unstructured', level: 'warn', detail: String(workers.own).repeat(60_000) })
          }
          return self
        },
      },
    )
  },
})
