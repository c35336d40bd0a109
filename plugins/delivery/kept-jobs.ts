// Jobs that follow the model: declared when something in it wants them, removed when nothing does.

import { createHash } from 'node:crypto'
import { type Engine, messageOf } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { storableText } from '../../sdk/sql.ts'
import type { DeclaredJob, Job, Jobs, Schedule } from '../jobs/index.ts'

/** A job with a schedule; its body looks up what else there is to know of it, since that may change. */
export interface KeptJob extends Job {
  readonly schedule: Schedule
}

/** More characters than this no job's name has. */
const longestName = 200

/** The name of the job of something whose own name may be of any length, and hold what no text of PostgreSQL can. */
export function jobNameOf(kind: string, name: string): string {
  const text = `${kind} ${name}`
  const shown = storableText(text)
  if (text.length <= longestName && shown === text) return text
  const digest = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 16)
  return `${shown.slice(0, longestName - digest.length - 1).toWellFormed()}_${digest}`
}

interface Kept {
  readonly declared: DeclaredJob
  schedule: string
}

/** Keeps the jobs declared that the model wants, as long as the server runs. */
export function keepJobs(
  { metadata, onReady, onStopping, observe }: Pick<Engine, 'metadata' | 'onReady' | 'onStopping' | 'observe'>,
  jobs: Jobs,
  wanted: (model: Model) => readonly KeptJob[],
): void {
  const kept = new Map<string, Kept>()
  let isServing = false
  let following: Promise<void> = Promise.resolve()
  // One that cannot be declared keeps none of the others from it, and never ends the process.
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
