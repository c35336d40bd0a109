// The baseline for deliveries: a loop that posts bytes and records nothing. It runs in its own process, as servers do.
// It answers each message with the number of posts per second.

import { Pool } from 'undici'
import type { Jobs } from './queue-worker.ts'

const concurrency = 100
const [webhook = ''] = process.argv.slice(2)

async function post({ count, body }: Jobs): Promise<number> {
  const pool = new Pool(webhook, { connections: concurrency })
  const headers = { 'content-type': 'application/json' }
  let left = count
  const work = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ path: '/', method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: concurrency }, work))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  return count / seconds
}

process.on('message', async (jobs: Jobs) => process.send?.(await post(jobs)))
process.on('SIGTERM', () => process.exit(0))
process.send?.(0)
