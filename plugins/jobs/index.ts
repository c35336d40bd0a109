// Work in the background, which other plugins declare: PostgreSQL is the ledger of what was run, Agenda is the clock.

import { definePlugin } from '../../sdk/index.ts'
import { jobs } from './job.ts'
import { jobMigrations } from './migrations.ts'
import { JobService } from './service.ts'

export { type DeclaredJob, type Job, type JobCall, type JobState, type Jobs, jobs } from './job.ts'
export type { Schedule } from './schedule.ts'

export default definePlugin({
  name: 'jobs',
  migrations: jobMigrations,
  register(engine) {
    const service = new JobService(engine)
    engine.provide(jobs, service)
    engine.onReady(() => service.start())
    engine.onStopping(() => service.stopRuns())
    engine.onClose(() => service.stop())
  },
})
