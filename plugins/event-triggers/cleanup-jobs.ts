// A job for each event trigger whose events leave the log by themselves, run by one of the instances.

import type { Engine } from '../../sdk/index.ts'
import { jobNameOf, keepJobs } from '../delivery/index.ts'
import type { JobCall, Jobs } from '../jobs/index.ts'
import { cleanUp, type InTransaction } from './cleanup.ts'
import { cleanupOf } from './cleanup-schema.ts'
import { eventTriggersOf } from './metadata.ts'

/** Has the jobs follow the model. */
export function scheduleCleanups(engine: Engine, jobs: Jobs): void {
  const inTransaction: InTransaction = (work) => engine.database.transaction(work)
  const run = async (name: string, { signal }: JobCall) => {
    const config = eventTriggersOf(engine.model).get(name)?.entry.cleanup_config
    if (config) await cleanUp(name, cleanupOf(config), { inTransaction, signal })
  }
  keepJobs(engine, jobs, (model) =>
    [...eventTriggersOf(model).values()].flatMap(({ name, entry: { cleanup_config: config } }) => {
      if (!config || config.paused) return []
      const schedule = { cron: config.schedule }
      return [
        { name: jobNameOf('event log of', name), schedule, timeout: null, run: (call: JobCall) => run(name, call) },
      ]
    }),
  )
}
