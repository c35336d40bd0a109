// Log lines of jobs.

/** A failure of a job or of the store that wakes jobs, or its recovery. */
export interface JobsLog {
  readonly message: string
  readonly job: string | null
  readonly error: string | null
}

declare module '../../sdk/registry.ts' {
  interface LogKinds {
    jobs: JobsLog
  }
}
