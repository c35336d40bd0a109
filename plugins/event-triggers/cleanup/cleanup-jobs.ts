// A clean-up job for each event trigger that configures one; one instance runs it.

import type { Engine } from '../../../sdk/index.ts'
import { type Deliveries, declareRetention, type InTransaction, jobNameOf, keepJobs } from '../../delivery/index.ts'
import type { JobCall, Jobs } from '../../jobs/index.ts'
import { eventTriggersOf } from '../metadata.ts'
import { cleanUp, retain } from './cleanup.ts'
import { cleanupOf } from './cleanup-schema.ts'

/** Keeps the jobs in step with the model. */
export function scheduleCleanups(engine: Engine, jobs: Jobs, { settings }: Pick<Deliveries, 'settings'>): void {
  const { database } = engine
  const name = 'retention of the event log'
  declareRetention(jobs, { name, settings, clean: (retention, signal) => retain(retention, { database, signal }) })
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
