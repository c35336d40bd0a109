// Jobs that follow the model: declared when a metadata entry needs them, removed when no entry does.

import { createHash } from 'node:crypto'
import { type Engine, messageOf } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { storableText } from '../../sdk/sql.ts'
import type { DeclaredJob, Job, Jobs, Schedule } from '../jobs/index.ts'
import { longestJobName } from './tuning.ts'

/** A job with a schedule. Its body looks up everything else when it runs, because that may change. */
export interface KeptJob extends Job {
  readonly schedule: Schedule
}

/** A job name for a metadata entry, whose name may have any length and characters that PostgreSQL's texts cannot hold. */
export function jobNameOf(kind: string, name: string): string {
  const text = `${kind} ${name}`
  const shown = storableText(text)
  if (text.length <= longestJobName && shown === text) return text
  const digest = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 16)
  return `${shown.slice(0, longestJobName - digest.length - 1).toWellFormed()}_${digest}`
}

interface Kept {
  readonly declared: DeclaredJob
  schedule: string
}

/** Keeps the jobs that the model needs declared while the server runs. */
export function keepJobs(
  { metadata, onReady, onStopping, observe }: Pick<Engine, 'metadata' | 'onReady' | 'onStopping' | 'observe'>,
  jobs: Jobs,
  wanted: (model: Model) => readonly KeptJob[],
): void {
  const kept = new Map<string, Kept>()
  let isServing = false
  let following: Promise<void> = Promise.resolve()
  // A job that cannot be declared must not stop the others, nor end the process.
  const declare = (job: KeptJob, schedule: string) => {
    try {
      kept.set(job.name, { declared: jobs.declare(job), schedule })
    } catch (error) {
      const detail = { message: 'a job cannot be declared', job: job.name, error: messageOf(error) }
      observe.log({ type: 'jobs', level: 'error', detail })
    }
  }
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
      if (!known) declare(job, schedule)
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
