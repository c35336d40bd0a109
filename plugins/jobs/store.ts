// Where Agenda keeps what it wakes: one entry per job, with the time. All of it can be made again from the ledger.

import type { JobParameters, JobRepository } from 'agenda'

/** What Agenda knows of a job; times are milliseconds since 1970. */
export interface Entry {
  readonly name: string
  readonly nextRunAt: number | null
  readonly lockedAt: number | null
}

/** A database for Agenda. */
export interface Store {
  /** Of people: `PostgreSQL`, `MongoDB`. */
  readonly name: string
  readonly repository: JobRepository
  /** Makes what the repository needs; rejects while the database cannot be reached, and may be called again. */
  open(): Promise<void>
  /** The entries of these jobs, in one statement. */
  entries(names: readonly string[]): Promise<readonly Entry[]>
  /** What an error says, as it may be logged. */
  shown(error: Error): string
  close(): Promise<void>
}

/** The entry that Agenda's own form of a job holds. */
export const entryOf = ({ name, nextRunAt, lockedAt }: JobParameters): Entry => ({
  ...{ name, nextRunAt: nextRunAt?.getTime() ?? null, lockedAt: lockedAt?.getTime() ?? null },
})
