// What other plugins say to the service: jobs, and what is known of them.

import { serviceKey } from '../../sdk/index.ts'
import type { Schedule } from './schedule.ts'

/** What a body is given. */
export interface JobCall {
  readonly name: string
  /** The occurrence of the schedule that it is run for, or when it was woken for. */
  readonly dueAt: Date
  /** Aborts when the server stops, when the job's time is over, and when another instance may have taken the run over. */
  readonly signal: AbortSignal
}

/** Work that is done in the background. */
export interface Job {
  /** Unique among the jobs of all plugins: up to 200 characters. */
  readonly name: string
  /** Absent: it runs only when it is woken. */
  readonly schedule?: Schedule
  /** `cluster`, the default: each occurrence is run by one of the instances that share the database; `instance`: by each of them. */
  readonly per?: 'cluster' | 'instance'
  /** How many runs may be at work at once, in the cluster or in the instance; absent: 1. What comes due meanwhile is run afterwards, once. */
  readonly concurrency?: number
  /** Milliseconds after which a run is aborted and counts as failed; null: never. Absent: ten minutes. */
  readonly timeout?: number | null
  /** The body. What it throws is logged and counted. */
  run(call: JobCall): void | Promise<void>
}

/** A job that was declared. */
export interface DeclaredJob {
  readonly name: string
  /**
   * Has it run at a time beside its schedule, at once when none is given. The earliest of several times counts. It resolves when this is stored,
   * and rejects for what is no date alone: what cannot be stored yet is stored as soon as the database answers.
   */
  wake(at?: Date): Promise<void>
  /** Gives it another schedule; occurrences before this moment are not made up for. */
  reschedule(schedule: Schedule | null): Promise<void>
  /** Forgets it, on all instances that do so; a run that is at work ends by itself. */
  remove(): Promise<void>
}

/** What is known of a job. Times are null when there is none. */
export interface JobState {
  readonly name: string
  readonly per: 'cluster' | 'instance'
  /** In words: `0 3 * * * Europe/Paris`, `every 5000 ms`, `at 2026-01-01T00:00:00.000Z`; null: none. */
  readonly schedule: string | null
  readonly nextRunAt: Date | null
  readonly lastStartedAt: Date | null
  readonly lastFinishedAt: Date | null
  /** Seconds that the last run took. */
  readonly lastSeconds: number | null
  readonly running: number
  readonly runs: number
  readonly failures: number
  /** Since the last success. */
  readonly failuresInRow: number
  readonly lastFailedAt: Date | null
  readonly lastError: string | null
}

/** The service by which plugins have jobs run. */
export interface Jobs {
  /** Declares a job, also while the server runs; throws when it is none, or when its name is taken. */
  declare(job: Job): DeclaredJob
  /** The jobs that are declared here, by name: runs of cluster jobs are those of all instances. */
  states(): Promise<readonly JobState[]>
}

/** The service: `engine.use(jobs)`. */
export const jobs = serviceKey<Jobs>('jobs')
