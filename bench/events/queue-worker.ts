// A job queue of PostgreSQL whose task posts the bodies of webhooks, for comparison with event triggers. It is a
// separate process for one of the libraries. A message says how many jobs to add; the answer comes when they are
// stored.

import { makeWorkerUtils, run } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { Pool } from 'undici'

/** The library to measure. */
export type QueueKind = 'graphile-worker' | 'pg-boss'

/** Adds this number of jobs that post a body. */
export interface Jobs {
  readonly count: number
  readonly body: string
}

const concurrency = 100
const [kind, connectionString = '', webhook = ''] = process.argv.slice(2)

const pool = new Pool(webhook, { connections: concurrency })

async function post(body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await pool.request({ path: '/', method: 'POST', headers, body })
  await answer.body.dump()
}

/** With the settings for throughput from its documentation. */
async function startGraphileWorker() {
  const utils = await makeWorkerUtils({ connectionString })
  await utils.migrate()
  await run({
    connectionString,
    noHandleSignals: true,
    taskList: { post: (payload) => post(payload as string) },
    preset: {
      worker: {
        concurrentJobs: concurrency,
        maxPoolSize: 10,
        localQueue: { size: 2 * concurrency },
        completeJobBatchDelay: 0,
      },
    },
  })
  return async ({ count, body }: Jobs) => {
    await utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'post', payload: body })))
  }
}

/** Four workers claim a quarter of the concurrent posts each, and go on without a pause while claims are full. */
async function startPgBoss() {
  const boss = new PgBoss({ connectionString })
  await boss.start()
  await boss.createQueue('post')
  const batchSize = concurrency / 4
  const options = { batchSize, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true }
  await boss.work<{ body: string }>('post', options, (jobs) => Promise.all(jobs.map(({ data }) => post(data.body))))
  return async ({ count, body }: Jobs) => {
    await boss.insert(
      'post',
      Array.from({ length: count }, () => ({ data: { body } })),
    )
  }
}

const add = await (kind === 'graphile-worker' ? startGraphileWorker() : startPgBoss())
process.on('message', async (jobs: Jobs) => {
  await add(jobs)
  process.send?.(Date.now())
})
process.on('SIGTERM', () => process.exit(0))
process.send?.(0)
