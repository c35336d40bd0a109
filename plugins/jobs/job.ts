// The interface for other plugins: jobs and their state.

import { serviceKey } from '../../sdk/index.ts'
import type { Schedule } from './schedule.ts'

/** The argument of a body. */
export interface JobCall {
  readonly name: string
  /** The occurrence that it runs for, or the requested time. */
  readonly dueAt: Date
  /** Aborts when the server stops, when the timeout is over, or when another instance may have taken over the run. */
  readonly signal: AbortSignal
}

/** Work in the background. */
export interface Job {
  /** Unique among the jobs of all plugins; at most 200 characters. */
  readonly name: string
  /** Absent: it runs only on request. */
  readonly schedule?: Schedule
  /** `cluster`, the default: one of the instances that share the database runs each occurrence; `instance`: every instance does. */
  readonly per?: 'cluster' | 'instance'
  /** Runs at once, in the cluster or in the instance; absent: 1. Occurrences that come due meanwhile cause one later run. */
  readonly concurrency?: number
  /** Milliseconds after which a run is aborted and counts as failed; null: no timeout. Absent: ten minutes. */
  readonly timeout?: number | null
  /** The body. Errors are logged and counted. */
  run(call: JobCall): void | Promise<void>
}

/** A declared job. */
export interface DeclaredJob {
  readonly name: string
  /**
   * Runs it at a time beside its schedule, by default at once. The earliest of several times counts. Resolves when the time is
   * stored, or will be as soon as the database answers; rejects only an invalid date.
   */
  wake(at?: Date): Promise<void>
  /** Changes its schedule; earlier occurrences are not made up for. */
  reschedule(schedule: Schedule | null): Promise<void>
  /** Removes it, on all instances that do so; a run in progress continues. */
  remove(): Promise<void>
}

/** The state of a job. A time is null until it exists. */
export interface JobState {
  readonly name: string
  readonly per: 'cluster' | 'instance'
  /** As text: `0 3 * * * Europe/Paris`, `every 5000 ms`, `at 2026-01-01T00:00:00.000Z`; null: no schedule. */
  readonly schedule: string | null
  /** Null also while it is paused. */
  readonly nextRunAt: Date | null
  readonly isPaused: boolean
  readonly lastStartedAt: Date | null
  readonly lastFinishedAt: Date | null
  /** Seconds of the last run. */
  readonly lastSeconds: number | null
  readonly running: number
  readonly runs: number
  readonly failures: number
  /** Since the last success. */
  readonly failuresInRow: number
  readonly lastFailedAt: Date | null
  readonly lastError: string | null
}

/** The service that runs jobs for plugins. */
export interface Jobs {
  /** Declares a job, also while the server runs; throws if it is invalid or its name is taken. */
  declare(job: Job): DeclaredJob
  /** The jobs declared here, by name; the runs of cluster jobs are those of all instances. */
  states(): Promise<readonly JobState[]>
  /**
   * Runs the body of a job once, on this instance, and waits for its end. Rejects with the error of the body. The schedule stays,
   * other runs do not delay it, and `states` does not count it.
   */
  run(name: string): Promise<void>
}

/** The service: `engine.use(jobs)`. */
export const jobs = serviceKey<Jobs>('jobs')
