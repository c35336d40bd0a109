// The jobs of cron triggers: one per trigger notifies the workers when it is due, and one plans occurrences in the ledger. Polls find
// due events without these jobs, which only make delivery punctual.

import type { Engine } from '../../sdk/index.ts'
import { jobNameOf, keepJobs, notifyStatement } from '../delivery/index.ts'
import type { Jobs } from '../jobs/index.ts'
import { cronTriggersOf } from './metadata.ts'
import { topUp } from './occurrences.ts'
import { planningMillis, replanMillis } from './tuning.ts'

/** Keeps the jobs in step with the model. */
export function keepCronJobs(engine: Engine, jobs: Jobs): void {
  const { database } = engine
  const wake = async () => {
    await database.rows(notifyStatement, ['cron'])
  }
  const plan = () =>
    database.transaction(async (transaction) => {
      // A server that has not seen a metadata change yet would undo it.
      const [stored] = await transaction.rows<{ version: string }>(
        'select resource_version::text as version from trellis.metadata for share',
      )
      const { model } = engine
      if (stored?.version === String(model.resourceVersion)) await topUp(model, transaction)
    })
  let replan: NodeJS.Timeout | undefined
  engine.onReady(() => {
    // A failure means that the database is away; the next run tries again.
    replan = setInterval(() => void plan().catch(() => {}), replanMillis).unref()
  })
  engine.onStopping(() => clearInterval(replan))
  keepJobs(engine, jobs, (model) => {
    const triggers = [...cronTriggersOf(model).values()]
    if (triggers.length === 0) return []
    return [
      { name: 'occurrences of cron triggers', schedule: { every: planningMillis }, run: plan },
      ...triggers.map(({ entry: { name, schedule: cron, timezone = 'UTC' } }) => {
        return { name: jobNameOf('cron trigger', name), schedule: { cron, timezone }, run: wake }
      }),
    ]
  })
}
