// Log lines of jobs.

/** A failure of a job or of the store that wakes jobs, or its recovery. */
export interface JobsLog {
  readonly message: string
  readonly job: string | null
  readonly error: string | null
  /** Of an error that a body threw, with its causes. */
  readonly stack?: string
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    jobs: JobsLog
  }
}
