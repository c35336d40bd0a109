// Metrics of jobs: the runs of this instance, and the ledger for all instances.

import type { Measure, MeasuredNumber } from '../../sdk/services.ts'
import type { JobState, Jobs } from './job.ts'
import type { Runs } from './runs.ts'
import { mostJobLabels } from './tuning.ts'

const other = 'other'

const seconds = (time: Date | null): number | null => time && time.getTime() / 1000

/** Numbers of jobs by name; jobs without a number are left out. */
function byJob(states: readonly JobState[], read: (state: JobState) => number | null): MeasuredNumber[] {
  return states.slice(0, mostJobLabels).flatMap((state) => {
    const value = read(state)
    return value === null ? [] : [{ labels: { job: state.name }, value }]
  })
}

/** The metrics of jobs. */
export function jobMeasures(service: Pick<Jobs, 'states'>, runs: Runs): readonly Measure[] {
  const labels = ['job']
  // All metrics of one scrape share one statement.
  let states: Promise<readonly JobState[]> | null = null
  const read = (value: (state: JobState) => number | null) => async () => {
    states ??= service.states().finally(() => setImmediate(() => (states = null)))
    return byJob(await states, value)
  }
  const names = new Set<string>()
  const label = (name: string) => {
    if (names.size < mostJobLabels) names.add(name)
    return names.has(name) ? name : other
  }
  return [
    {
      ...{ name: 'job_run_seconds', help: 'Runs of jobs by this instance', kind: 'histogram' },
      labels: ['job', 'outcome'],
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      observeBy(observe) {
        runs.onEnded((job, { error, seconds: taken }) => {
          observe(taken, { job: label(job.name), outcome: error === null ? 'ok' : 'failed' })
        })
      },
    },
    {
      ...{
        name: 'job_last_start_timestamp_seconds',
        help: 'When a job was last begun',
        kind: 'gauge',
        labels,
        isShared: true,
      },
      read: read(({ lastStartedAt }) => seconds(lastStartedAt)),
    },
    {
      ...{
        name: 'job_next_run_timestamp_seconds',
        help: 'When a job is due next',
        kind: 'gauge',
        labels,
        isShared: true,
      },
      read: read(({ nextRunAt }) => seconds(nextRunAt)),
    },
    {
      ...{
        name: 'job_failures_in_row',
        help: 'Failures of a job since its last success',
        kind: 'gauge',
        labels,
        isShared: true,
      },
      read: read(({ failuresInRow }) => failuresInRow),
    },
    {
      ...{ name: 'job_running', help: 'Runs of a job in progress', kind: 'gauge', labels, isShared: true },
      read: read(({ running }) => running),
    },
  ]
}
