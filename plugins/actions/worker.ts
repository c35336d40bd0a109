// Asynchronous calls on their way to their handlers: taken from the log, a few at a time, by whichever instance comes first.
// An instance that is at a call says so again and again; when it is not heard of any more, others take the call over.

import { assumedSession } from '../../sdk/http.ts'
import { type Engine, messageWithCause, TrellisError } from '../../sdk/index.ts'
import { type ActionLog, leaseSeconds, type TakenCall } from './action-log.ts'
import type { HandlerCall } from './call.ts'
import { describedError } from './described-error.ts'
import type { ActionModel } from './metadata.ts'

export interface WorkerOptions {
  readonly engine: Pick<Engine, 'model' | 'dialect' | 'observe'>
  readonly log: ActionLog
  /** Milliseconds between looking for calls. */
  readonly interval: number
  /** How many are taken at once. */
  readonly batchSize: number
  /** Calls the handler, and keeps in the log what it answered. */
  run(call: HandlerCall & { readonly id: string; readonly signal: AbortSignal }): Promise<void>
}

/** So many batches can be at work at once. */
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
  /** Whether the log could not be used the last time: that is said once. */
  #isAway = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.interval === 0) return
    this.#renewing = setInterval(() => void this.#renew(), (leaseSeconds * 1000) / 3)
    this.#lookLater()
  }

  /** Takes no more calls, and waits for those at work. */
  async rest(): Promise<void> {
    this.#isStopping = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#looking
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Gives up what is still at work, and leaves it to whoever comes next. */
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

  /** Takes what waits, as long as there is room for it. */
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
      // An error may hold what PostgreSQL does not, such as a number of too many digits: what it says of that takes its place.
      const fail = (thrown: unknown) => log.fail(id, describedError(thrown), signal)
      await this.#attempt(() => fail(error).catch(fail))
    }
  }

  /** A call that was taken over elsewhere, or cleared, is given up here. */
  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    const own = await this.#attempt(() => this.#options.log.renew(ids))
    if (!own) return
    for (const id of ids) {
      if (!own.has(id)) this.#running.get(id)?.controller.abort(new Error('the call is another instance’s by now'))
    }
  }

  /** What fails is tried again at the next look: the database may be away for a while. */
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
