// Operations on jobs: a run beside the schedule, and pauses that all instances keep.

import { badRequest, didYouMean, Type } from '../../sdk/index.ts'
import { type OperationContext, operation } from '../../sdk/metadata.ts'
import type { Transaction } from '../../sdk/sql.ts'

/** A change of a job that an operation makes. */
export type JobChange = 'run' | 'pause' | 'resume'

/** The outcome of a change. */
export interface ChangedJob {
  /** Why the job cannot be changed so; null: the change is stored. */
  readonly refusal: string | null
  /** Runs after the commit. */
  readonly follow: () => void | Promise<void>
}

/** The jobs as operations change them. */
export interface ChangeableJobs {
  readonly names: readonly string[]
  change(name: string, change: JobChange, transaction: Pick<Transaction, 'rows'>): Promise<ChangedJob>
}

const Args = Type.Object({ name: Type.String() }, { missingKey: 'A' })

async function changeJob(
  { transaction, afterCommit }: OperationContext,
  jobs: ChangeableJobs,
  name: string,
  change: JobChange,
): Promise<void> {
  if (!jobs.names.includes(name)) {
    const help = didYouMean(name, () => jobs.names)
    throw badRequest('not-exists', `job ${JSON.stringify(name)} does not exist`, { path: ['name'], help })
  }
  const { refusal, follow } = await jobs.change(name, change, transaction)
  if (refusal !== null) throw badRequest('not-supported', refusal, { path: ['name'] })
  afterCommit(follow)
}

const summaries: Readonly<Record<JobChange, string>> = {
  run: 'Runs a background job at once, beside its schedule.',
  pause: 'Pauses a background job on all instances; a run in progress continues.',
  resume: 'Lets a paused background job run again; missed occurrences are not made up for.',
}

const types: Readonly<Record<JobChange, string>> = { run: 'run_job_now', pause: 'pause_job', resume: 'resume_job' }

/** `run_job_now`, `pause_job` and `resume_job`. */
export const jobOperations = (jobs: ChangeableJobs) =>
  (['run', 'pause', 'resume'] as const).map((change) =>
    operation({
      type: types[change],
      about: { summary: summaries[change] },
      args: Args,
      editsMetadata: false,
      handle: (context, { name }) => changeJob(context, jobs, name, change),
    }),
  )
