// Runs bodies on this instance, isolated: one that throws or hangs does not affect the others.

import { AsyncLocalStorage } from 'node:async_hooks'
import { messageWithCause, stackOf } from '../../sdk/index.ts'
import type { Observer } from '../../sdk/services.ts'
import type { Job } from './job.ts'
import { abortMillis, defaultTimeoutMillis, longestMessage } from './tuning.ts'

/** The end of a run; `error` is null after a success. */
export interface Outcome {
  readonly error: string | null
  readonly seconds: number
  /** The thrown value; absent after a success. */
  readonly thrown?: { readonly value: unknown }
}

/** A run in progress. */
export interface Run {
  readonly job: Job
  readonly startedAt: number
  readonly outcome: Promise<Outcome>
  /** Aborts it; the body has to listen. */
  abort(reason: Error): void
  /** Stops waiting for the body. */
  giveUp(reason: Error): void
}

/** The state of a body. */
interface Started {
  readonly job: Job
  readonly dueAt: number
  readonly controller: AbortController
  /** Rejects when the body is given up. */
  readonly left: Promise<never>
  readonly giveUp: (reason: Error) => void
}

export class Runs {
  readonly #observe: Observer
  readonly #atWork = new Set<Run>()
  #onEnded: (job: Job, outcome: Outcome) => void = () => {}
  /** Bodies run outside the context of any request. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(observe: Observer) {
    this.#observe = observe
  }

  /** Adds a listener for ended runs. */
  onEnded(listener: (job: Job, outcome: Outcome) => void): void {
    this.#onEnded = listener
  }

  /** The runs of a job in progress. */
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
    const outcome = this.#outside(() => this.#follow(started)).then((thrown) => {
      this.#atWork.delete(run)
      const error = thrown === null ? null : recordedMessageOf(thrown.value)
      if (error !== null) this.#report(job, error, thrown?.value)
      const ended = { error, seconds: (Date.now() - startedAt) / 1000, ...(thrown && { thrown }) }
      this.#onEnded(job, ended)
      return ended
    })
    const run: Run = { job, startedAt, outcome, giveUp, abort: (reason) => controller.abort(reason) }
    this.#atWork.add(run)
    return run
  }

  /** Aborts all bodies because the server stops, and waits until they have ended. */
  async stop(): Promise<void> {
    const runs = [...this.#atWork]
    for (const run of runs) run.abort(new Error('the server stops'))
    await Promise.all(runs.map(({ outcome }) => outcome))
  }

  /** Gives up all bodies. */
  giveUp(): void {
    for (const run of this.#atWork) run.giveUp(new Error('it did not end in time when the server stopped'))
  }

  /** The error of a body: a missed timeout, else the value that it threw; null: it succeeded. */
  async #follow({ job, dueAt, controller, left, giveUp }: Started): Promise<{ readonly value: unknown } | null> {
    const { timeout = defaultTimeoutMillis } = job
    const timers: NodeJS.Timeout[] = []
    const after = (millis: number, act: () => void) => timers.push(setTimeout(act, millis).unref())
    const overdue = timeout === null ? null : new Error(`took longer than ${timeout / 1000} s`)
    const isOverdue = () => overdue !== null && controller.signal.reason === overdue
    if (timeout !== null && overdue) {
      after(timeout, () => {
        controller.abort(overdue)
        after(abortMillis, () => giveUp(overdue))
      })
    }
    try {
      const call = { name: job.name, dueAt: new Date(dueAt), signal: controller.signal }
      const body = (async () => job.run(call))()
      await Promise.race([body, left])
      return isOverdue() ? { value: overdue } : null
    } catch (error) {
      return { value: isOverdue() ? overdue : error }
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  #report({ name }: Job, error: string, thrown: unknown): void {
    const stack = thrown instanceof Error ? { stack: stackOf(thrown) } : {}
    this.#observe.log({ type: 'jobs', level: 'error', detail: { message: 'a job failed', job: name, error, ...stack } })
  }
}

/** The message of an error with its causes, as it is kept and logged: cut where it is too long. */
export const recordedMessageOf = (error: unknown): string => {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  const hasWords = typeof message === 'string' && message !== ''
  const ofOthers = hasWords ? message : String(code ?? error)
  const text = hasWords && error instanceof Error ? messageWithCause(error) : ofOthers
  return text.slice(0, longestMessage)
}
