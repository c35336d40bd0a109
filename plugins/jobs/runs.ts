// The bodies that this instance runs: each by itself, so that one which throws or hangs hurts nobody else.

import { AsyncLocalStorage } from 'node:async_hooks'
import { messageWithCause } from '../../sdk/index.ts'
import type { Observer } from '../../sdk/services.ts'
import type { Job } from './job.ts'

/** How a run ended; `error` is null when it did what it should. */
export interface Outcome {
  readonly error: string | null
  readonly seconds: number
}

/** A run at work. */
export interface Run {
  readonly job: Job
  readonly startedAt: number
  readonly outcome: Promise<Outcome>
  /** Ends it, as far as the body listens. */
  abort(reason: Error): void
  /** Waits for the body no longer. */
  giveUp(reason: Error): void
}

/** What follows a body. */
interface Started {
  readonly job: Job
  readonly dueAt: number
  readonly controller: AbortController
  /** Rejects when the body is given up. */
  readonly left: Promise<never>
  readonly giveUp: (reason: Error) => void
}

const defaultTimeout = 10 * 60_000
/** Milliseconds that an aborted body has to end in before it is left to itself. */
const aftermath = 5_000

export class Runs {
  readonly #observe: Observer
  readonly #atWork = new Set<Run>()
  #onEnded: (job: Job, outcome: Outcome) => void = () => {}
  /** Bodies belong to no request, whatever woke them. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(observe: Observer) {
    this.#observe = observe
  }

  /** Tells of each run that ended. */
  onEnded(told: (job: Job, outcome: Outcome) => void): void {
    this.#onEnded = told
  }

  /** Runs at work of a job. */
  of(job: Job): readonly Run[] {
    return [...this.#atWork].filter((run) => run.job === job)
  }

  /** Runs a body. */
  begin(job: Job, dueAt: number): Run {
    const controller = new AbortController()
    const left = Promise.withResolvers<never>()
    const startedAt = Date.now()
    const giveUp = (reason: Error) => left.reject(reason)
    const started = { job, dueAt, controller, left: left.promise, giveUp }
    const outcome = this.#outside(() => this.#follow(started)).then((error) => {
      this.#atWork.delete(run)
      if (error !== null) this.#report(job, error)
      const ended = { error, seconds: (Date.now() - startedAt) / 1000 }
      this.#onEnded(job, ended)
      return ended
    })
    const run: Run = { job, startedAt, outcome, giveUp, abort: (reason) => controller.abort(reason) }
    this.#atWork.add(run)
    return run
  }

  /** Tells all bodies that the server stops, and waits until they have ended. */
  async stop(): Promise<void> {
    const runs = [...this.#atWork]
    for (const run of runs) run.abort(new Error('the server stops'))
    await Promise.all(runs.map(({ outcome }) => outcome))
  }

  /** Waits for nothing any more. */
  giveUp(): void {
    for (const run of this.#atWork) run.giveUp(new Error('it did not end in time when the server stopped'))
  }

  /** The message of what went wrong; null: nothing. */
  async #follow({ job, dueAt, controller, left, giveUp }: Started): Promise<string | null> {
    const { timeout = defaultTimeout } = job
    const timers: NodeJS.Timeout[] = []
    const after = (millis: number, act: () => void) => timers.push(setTimeout(act, millis).unref())
    if (timeout !== null) {
      const overdue = new Error(`took longer than ${timeout / 1000} s`)
      after(timeout, () => {
        controller.abort(overdue)
        after(aftermath, () => giveUp(overdue))
      })
    }
    try {
      const call = { name: job.name, dueAt: new Date(dueAt), signal: controller.signal }
      const body = (async () => job.run(call))()
      await Promise.race([body, left])
      return null
    } catch (error) {
      return messageOf(error)
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  #report({ name }: Job, error: string): void {
    this.#observe.log({ type: 'jobs', level: 'error', detail: { message: 'a job failed', job: name, error } })
  }
}

/** Long enough to tell what happened. */
const longestMessage = 1000

export const messageOf = (error: unknown): string => {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  const hasWords = typeof message === 'string' && message !== ''
  const ofOthers = hasWords ? message : String(code ?? error)
  const text = hasWords && error instanceof Error ? messageWithCause(error) : ofOthers
  return text.slice(0, longestMessage)
}
