// Job queues whose task posts the bodies of webhooks, each on its own database.

import { makeDatabase } from '../support/database.ts'
import { type Surroundings, startProgram } from '../support/processes.ts'
import type { Jobs, QueueKind } from './queue-worker.ts'
import { message, type Webhook } from './webhook.ts'

export const queueKinds: readonly QueueKind[] = ['graphile-worker', 'pg-boss']

const workerFile = new URL('./queue-worker.ts', import.meta.url)

export interface Queue {
  readonly kind: QueueKind
  /** Jobs per second of one burst. */
  burst(jobs: Jobs): Promise<number>
  stop(): Promise<void>
}

/** Starts a worker. */
export async function startQueue(
  kind: QueueKind,
  { serverUrl, webhook, surroundings }: { serverUrl: string; webhook: Webhook; surroundings: Surroundings },
): Promise<Queue> {
  const databaseUrl = await makeDatabase(serverUrl, `queue_${kind.replace('-', '_')}`)
  const worker = startProgram(workerFile, [kind, databaseUrl, webhook.url], surroundings, 'ipc')
  await message(worker)
  const burst = async (jobs: Jobs) => {
    await webhook.take()
    const added = message<number>(worker)
    worker.child.send(jobs)
    const since = await added
    const { last } = await webhook.takeAll(jobs.count)
    return (jobs.count * 1000) / (last - since)
  }
  return { kind, burst, stop: worker.stop }
}
