// The store of Agenda's entries: one per job, with its time. All entries can be rebuilt from the ledger.

import type { JobParameters, JobRepository } from 'agenda'

/** Agenda's entry of a job; times are milliseconds since 1970. */
export interface Entry {
  readonly name: string
  readonly nextRunAt: number | null
  readonly lockedAt: number | null
}

/** A database for Agenda. */
export interface Store {
  /** For log lines: `PostgreSQL`, `MongoDB`. */
  readonly name: string
  readonly repository: JobRepository
  /** Creates the table or index; rejects while the database is away, and may be called again. */
  open(): Promise<void>
  /** The entries of these jobs, in one statement. */
  entries(names: readonly string[]): Promise<readonly Entry[]>
  /** The loggable message of an error. */
  shown(error: Error): string
  close(): Promise<void>
}

/** The entry in Agenda's form of a job. */
export const entryOf = ({ name, nextRunAt, lockedAt }: JobParameters): Entry => ({
  ...{ name, nextRunAt: nextRunAt?.getTime() ?? null, lockedAt: lockedAt?.getTime() ?? null },
})
