// Jobs that follow the model: declared when something in it wants them, removed when nothing does.

import type { Engine } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import type { DeclaredJob, Job, Jobs, Schedule } from '../jobs/index.ts'

/** A job with a schedule; its body looks up what else there is to know of it, since that may change. */
export interface KeptJob extends Job {
  readonly schedule: Schedule
}

interface Kept {
  readonly declared: DeclaredJob
  schedule: string
}

/** Keeps the jobs declared that the model wants, as long as the server runs. */
export function keepJobs(
  { metadata, onReady, onStopping }: Pick<Engine, 'metadata' | 'onReady' | 'onStopping'>,
  jobs: Jobs,
  wanted: (model: Model) => readonly KeptJob[],
): void {
  const kept = new Map<string, Kept>()
  let isServing = false
  let following: Promise<void> = Promise.resolve()
  const follow = async () => {
    if (!isServing) return
    const found = new Map(wanted(metadata.service.model).map((job) => [job.name, job]))
    for (const [name, { declared }] of kept) {
      if (found.has(name)) continue
      kept.delete(name)
      await declared.remove()
    }
    for (const job of found.values()) {
      const known = kept.get(job.name)
      const schedule = JSON.stringify(job.schedule)
      if (!known) kept.set(job.name, { declared: jobs.declare(job), schedule })
      else if (known.schedule !== schedule) {
        known.schedule = schedule
        await known.declared.reschedule(job.schedule)
      }
    }
  }
  const followInTurn = () => {
    following = following.then(follow)
  }
  metadata.service.onChange(followInTurn)
  onReady(() => {
    isServing = true
    followInTurn()
  })
  onStopping(() => {
    isServing = false
  })
}
