// The developer route of jobs.

import type { Route } from '../../sdk/http.ts'
import { Type } from '../../sdk/index.ts'
import type { JobState, Jobs } from './job.ts'

const Time = Type.Union([Type.String(), Type.Null()])

const Report = Type.Object({
  backend: Type.String(),
  reachable: Type.Union([Type.Boolean(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  jobs: Type.Array(
    Type.Object({
      name: Type.String(),
      per: Type.String(),
      schedule: Time,
      paused: Type.Boolean(),
      running: Type.Integer(),
      next_run_at: Time,
      last_started_at: Time,
      last_finished_at: Time,
      last_seconds: Type.Union([Type.Number(), Type.Null()]),
      runs: Type.Integer(),
      failures: Type.Integer(),
      failures_in_row: Type.Integer(),
      last_failed_at: Time,
      last_error: Time,
    }),
  ),
})

/** The sources of the report. */
export interface JobReport extends Pick<Jobs, 'states'> {
  readonly backend: {
    readonly name: string
    /** Null: not asked yet. */
    readonly isReachable: boolean | null
    /** Why the store does not answer; null: it does, as far as known. */
    readonly trouble: string | null
  }
}

/** The jobs with their last and next runs; administrators only. */
export const jobsRoute = (service: JobReport): Route => ({
  method: 'GET',
  url: '/dev/jobs',
  api: 'developer',
  auth: 'admin',
  about: { summary: 'Lists background jobs: their last run, next run, and failures.', result: Report },
  async handle() {
    const { name, isReachable, trouble } = service.backend
    return { backend: name, reachable: isReachable, error: trouble, jobs: (await service.states()).map(reported) }
  },
})

const reported = (state: JobState) => ({
  name: state.name,
  per: state.per,
  schedule: state.schedule,
  paused: state.isPaused,
  running: state.running,
  next_run_at: state.nextRunAt,
  last_started_at: state.lastStartedAt,
  last_finished_at: state.lastFinishedAt,
  last_seconds: state.lastSeconds,
  runs: state.runs,
  failures: state.failures,
  failures_in_row: state.failuresInRow,
  last_failed_at: state.lastFailedAt,
  last_error: state.lastError,
})
