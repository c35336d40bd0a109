// Claims asynchronous calls from the log in small batches and runs their handlers. An instance renews the leases of its calls; after a
// lease expires, another instance takes over.

import { assumedSession } from '../../sdk/http.ts'
import { type Engine, messageWithCause, TrellisError } from '../../sdk/index.ts'
import { type ActionLog, leaseSeconds, type TakenCall } from './action-log.ts'
import type { HandlerCall } from './call.ts'
import { describedError } from './described-error.ts'
import type { ActionModel } from './metadata.ts'

export interface WorkerOptions {
  readonly engine: Pick<Engine, 'model' | 'dialect' | 'observe'>
  readonly log: ActionLog
  /** Milliseconds between polls. */
  readonly interval: number
  /** Calls per claim. */
  readonly batchSize: number
  /** Calls the handler, and records its answer. */
  run(call: HandlerCall & { readonly id: string; readonly signal: AbortSignal }): Promise<void>
}

/** Batches that may run at once. */
const batchesAtWork = 10

interface Running {
  readonly controller: AbortController
  readonly done: Promise<void>
}

export class ActionWorker {
  readonly #options: WorkerOptions
  readonly #running = new Map<string, Running>()
  #timer: NodeJS.Timeout | null = null
  #renewing: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()
  #isStopping = false
  /** Whether the log failed last time: a failure is logged once. */
  #isAway = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.interval === 0) return
    this.#renewing = setInterval(() => void this.#renew(), (leaseSeconds * 1000) / 3)
    this.#lookLater()
  }

  /** Claims no more calls, and waits for those in progress. */
  async rest(): Promise<void> {
    this.#isStopping = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#looking
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Aborts the calls in progress, and releases them. */
  async close(): Promise<void> {
    this.#isStopping = true
    if (this.#renewing) clearInterval(this.#renewing)
    const left = [...this.#running]
    for (const [, { controller }] of left) controller.abort(new Error('the server is stopping'))
    await Promise.all(left.map(([, { done }]) => done))
    const ids = left.map(([id]) => id)
    if (ids.length > 0) await this.#attempt(() => this.#options.log.giveBack(ids))
  }

  #lookLater(): void {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#lookLater())
    }, this.#options.interval)
  }

  /** Claims waiting calls while there is room. */
  async #look(): Promise<void> {
    const { engine, log, batchSize } = this.#options
    const actions = [...(engine.model.slices.actions?.values() ?? [])].filter(({ kind }) => kind === 'asynchronous')
    if (actions.length === 0) return
    const byName = new Map(actions.map((action) => [action.name, action]))
    for (let taken = batchSize; taken === batchSize && !this.#isStopping; ) {
      const room = Math.min(batchSize, batchSize * batchesAtWork - this.#running.size)
      if (room <= 0) return
      const busyWith = [...this.#running.keys()]
      const calls = (await this.#attempt(() => log.take([...byName.keys()], room, busyWith))) ?? []
      for (const call of calls) this.#begin(call, byName.get(call.action)!)
      taken = calls.length
    }
  }

  #begin(call: TakenCall, action: ActionModel): void {
    const controller = new AbortController()
    const done = this.#run(call, action, controller.signal).finally(() => this.#running.delete(call.id))
    this.#running.set(call.id, { controller, done })
  }

  async #run(
    { id, input, headers, sessionVariables }: TakenCall,
    action: ActionModel,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine, log, run } = this.#options
    const session = assumedSession(sessionVariables, engine.dialect)
    try {
      await run({ id, action, input, session, clientHeaders: headers, requestQuery: null, signal })
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof TrellisError)) this.#warn('an asynchronous action failed', error)
      // An error may contain values that PostgreSQL refuses, such as a number with too many digits: then PostgreSQL's error is recorded.
      const fail = (thrown: unknown) => log.fail(id, describedError(thrown), signal)
      await this.#attempt(() => fail(error).catch(fail))
    }
  }

  /** Renews leases; calls that were taken over or deleted are aborted. */
  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    const own = await this.#attempt(() => this.#options.log.renew(ids))
    if (!own) return
    for (const id of ids) {
      if (!own.has(id)) this.#running.get(id)?.controller.abort(new Error('another instance has taken over the call'))
    }
  }

  /** Errors are retried at the next poll: the database may be away for a while. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work()
      this.#isAway = false
      return result
    } catch (error) {
      if (!this.#isAway) this.#warn('the log of asynchronous actions cannot be used', error)
      this.#isAway = true
      return undefined
    }
  }

  #warn(message: string, error: unknown): void {
    const { observe } = this.#options.engine
    const detail = `${message}: ${messageWithCause(error)}`
    observe.log({ type: 'unstructured', level: 'warn', detail })
  }
}
