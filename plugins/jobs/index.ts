// Background jobs that other plugins declare: PostgreSQL is the ledger of runs, Agenda is the clock.

import { definePlugin, option } from '../../sdk/index.ts'
import { mongoUrlRefusal, shownMongoUrl } from './clock/mongodb-url.ts'
import { createStore } from './clock/stores.ts'
import { jobs } from './job.ts'
import { jobMeasures } from './measures.ts'
import { jobMigrations } from './migrations.ts'
import { jobOperations } from './operations.ts'
import { jobsRoute } from './routes.ts'
import { Runs } from './runs.ts'
import { JobService } from './service.ts'

export { type DeclaredJob, type Job, type JobCall, type JobState, type Jobs, jobs } from './job.ts'
export { type Occurrences, occurrencesOf, type Schedule } from './schedule.ts'

export default definePlugin({
  name: 'jobs',
  options: {
    mongodbUrl: option.text({
      flag: 'mongodb-url',
      variable: 'MONGODB_URL',
      placeholder: 'URL',
      secret: true,
      shown: shownMongoUrl,
      check: mongoUrlRefusal,
      description:
        'MongoDB for the schedules of jobs, mongodb://user:password@host:port/database; without it PostgreSQL is used',
    }),
  },
  migrations: jobMigrations,
  async register(engine) {
    const runs = new Runs(engine.observe)
    const service = new JobService(engine, { runs, createStore: await createStore(engine) })
    engine.provide(jobs, service)
    engine.operations.add(...jobOperations(service))
    engine.routes.add(jobsRoute(service))
    engine.measures.add(...jobMeasures(service, runs))
    engine.onReady(() => service.start())
    engine.onStopping(() => service.stopRuns())
    engine.onClose(() => service.stop())
  },
})
