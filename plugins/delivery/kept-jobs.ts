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
  // A step that fails must not stop the others, nor end the process. The next change of the model tries it again.
  const attempt = async (step: () => Promise<void>, message: string, job: string | null = null) => {
    try {
      await step()
    } catch (error) {
      observe.log({ type: 'jobs', level: 'error', detail: { message, job, error: messageOf(error) } })
    }
  }
  const remove = async (name: string, { declared }: Kept) => {
    await declared.remove()
    kept.delete(name)
  }
  const declare = async (job: KeptJob, schedule: string) => {
    kept.set(job.name, { declared: jobs.declare(job), schedule })
  }
  const reschedule = async (known: Kept, job: KeptJob, schedule: string) => {
    await known.declared.reschedule(job.schedule)
    known.schedule = schedule
  }
  const follow = async () => {
    if (!isServing) return
    const found = new Map(wanted(metadata.service.model).map((job) => [job.name, job]))
    for (const [name, known] of kept) {
      if (!found.has(name)) await attempt(() => remove(name, known), 'a job cannot be removed', name)
    }
    for (const job of found.values()) {
      const known = kept.get(job.name)
      const schedule = JSON.stringify(job.schedule)
      if (!known) await attempt(() => declare(job, schedule), 'a job cannot be declared', job.name)
      else if (known.schedule !== schedule) {
        await attempt(() => reschedule(known, job, schedule), 'a job cannot be rescheduled', job.name)
      }
    }
  }
  const followInTurn = () => {
    following = following.then(() => attempt(follow, 'jobs cannot follow the metadata'))
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
