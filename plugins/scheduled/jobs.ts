// The clock of cron triggers: a job for each wakes those who deliver when it is due, and one sees to it that enough occurrences
// are in the ledger. What is due there is found without them too: they decide when it is looked at.

import type { Engine } from '../../sdk/index.ts'
import { jobNameOf, keepJobs, notifyStatement } from '../delivery/index.ts'
import type { Jobs } from '../jobs/index.ts'
import { cronTriggersOf } from './metadata.ts'
import { topUp } from './occurrences.ts'

const planningMillis = 60_000

/** Milliseconds until the same is done without the job, whose database may be away: what is due each minute is planned for longer. */
const netMillis = 20 * 60_000

/** Has the jobs follow the model. */
export function scheduleTicks(engine: Engine, jobs: Jobs): void {
  const { database } = engine
  const wake = async () => {
    await database.rows(notifyStatement, ['cron'])
  }
  const plan = () =>
    database.transaction(async (transaction) => {
      // Who has not heard of a change yet would undo it.
      const [stored] = await transaction.rows<{ version: string }>(
        'select resource_version::text as version from trellis.metadata for share',
      )
      const { model } = engine
      if (stored?.version === String(model.resourceVersion)) await topUp(model, transaction)
    })
  let net: NodeJS.Timeout | undefined
  engine.onReady(() => {
    // Where it fails, the database is away: there is a next time.
    net = setInterval(() => void plan().catch(() => {}), netMillis).unref()
  })
  engine.onStopping(() => clearInterval(net))
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
