// The lines about jobs.

/** Something that went wrong with a job, or with what wakes jobs; or that it is well again. */
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
