// Live queries with fields that are resolved outside the database: their results are joined to the rows before an answer is
// sent. Only changed rows start a join; a failed join is retried.

import type { JoinedAnswer, PlannedRequest, SubscriptionRun } from '../../../sdk/graphql.ts'
import { type Engine, TrellisError, toTrellisError } from '../../../sdk/index.ts'
import { unlessAborted } from '../../../sdk/services.ts'
import { firstJoinRetryMillis, longestJoinRetryMillis } from '../tuning.ts'
import type { FeedRequest } from './feeds.ts'
import type { LiveSink } from './groups/cohort.ts'

/** A join in flight, shared by all subscribers with the same request. */
export interface PendingAnswer {
  readonly answer: Promise<JoinedAnswer>
  readonly ending: AbortController
  /** How many wait for it. */
  waiting: number
}

/** Joins of all subscribers, by the bytes of the rows and by {@link keyOf}: subscribers that share both share the join. */
export type SharedJoins = WeakMap<Buffer, Map<string, PendingAnswer>>

const disconnected = () => new TrellisError(499, 'client-gone', 'all clients that waited for the answer are gone')

/** Never aborts: each join has its own signal. */
const noSignal = new AbortController().signal

const settled = Promise.resolve()

/** Everything that a join depends on, except for the rows. */
function keyOf({ request: { query, operationName, variables }, session, headers }: FeedRequest): string {
  return JSON.stringify([query, operationName, variables, session.role, session.variables, headers])
}

export interface JoinedAnswersOptions {
  readonly engine: Engine
  readonly shared: SharedJoins
  readonly request: FeedRequest
  readonly sink: LiveSink
}

/** Wraps a sink; passes answers through if the plan has no joins. */
export class JoinedAnswers implements LiveSink {
  readonly #options: JoinedAnswersOptions
  /** Joins that this subscriber waits for. */
  readonly #awaited = new Set<PendingAnswer>()
  #key: string | null = null
  #run: SubscriptionRun | null = null
  #planned: PlannedRequest | null = null
  /** Counts the incoming answers, so that outdated states are skipped. */
  #turn = 0
  #queued = 0
  #queue: Promise<void> = settled
  #sent: string | null = null
  #isOver = false
  #pause = firstJoinRetryMillis
  /** The timer of a retry. */
  #retry: NodeJS.Timeout | null = null

  constructor(options: JoinedAnswersOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#queued > 0 || this.#options.sink.isFull
  }

  async room(): Promise<void> {
    await this.#queue
    await this.#options.sink.room()
  }

  /** Sets the plan of the following answers. */
  planned(planned: PlannedRequest): void {
    const { engine, request } = this.#options
    const { session, headers } = request
    const extras = { headers, signal: noSignal }
    const hasJoins = planned.prepared.calls !== null
    this.#planned = planned
    this.#run = hasJoins ? engine.graphql.subscriptionRun(planned, session, extras) : null
  }

  append(body: Buffer): void {
    if (this.#run) this.#join(body, false)
    else this.#options.sink.append(body)
  }

  next(body: Buffer): void {
    this.#forgetRetry()
    this.#pause = firstJoinRetryMillis
    if (this.#run) this.#join(body, true)
    else this.#options.sink.next(body)
  }

  fail(error: TrellisError): void {
    this.#forgetRetry()
    this.#sent = null
    this.#turn++
    this.#enqueue(() => this.#options.sink.fail(error))
  }

  end(error: TrellisError): void {
    this.#forgetRetry()
    this.#turn++
    this.#enqueue(() => this.#options.sink.end(error))
  }

  /** Ends the subscription. */
  stop(): void {
    this.#isOver = true
    this.#forgetRetry()
    for (const pending of this.#awaited) if (--pending.waiting === 0) pending.ending.abort(disconnected())
    this.#awaited.clear()
  }

  #forgetRetry(): void {
    if (this.#retry) clearTimeout(this.#retry)
    this.#retry = null
  }

  #enqueue(work: () => void): void {
    if (this.#queued === 0) work()
    else this.#queue = this.#queue.then(work)
  }

  #join(body: Buffer, isState: boolean): void {
    const turn = ++this.#turn
    const pending = this.#pendingFor(body)
    pending.waiting++
    this.#awaited.add(pending)
    const settled = () => void this.#awaited.delete(pending)
    // The queue handles the result or the error in order.
    pending.answer.then(settled, settled)
    this.#queued++
    const run = this.#run
    this.#queue = this.#queue.then(async () => {
      if (isState && turn !== this.#turn) return
      const isLacking = await this.#send(pending.answer, isState, turn)
      const isCurrent = isState && turn === this.#turn && run === this.#run && !this.#isOver
      if (isLacking && isCurrent) this.#retryJoin(body, pending)
    })
    void this.#queue.then(() => {
      this.#queued--
    })
  }

  /** Sends an answer unless it equals the last one; gives whether a retry may complete it. */
  async #send(answer: Promise<JoinedAnswer>, isState: boolean, turn: number): Promise<boolean> {
    const { sink } = this.#options
    const isCurrent = () => !this.#isOver && (!isState || turn === this.#turn)
    try {
      const { body, isLacking } = await answer
      if (!isCurrent() || (isState && body === this.#sent)) return isLacking
      this.#sent = isState ? body : null
      if (isState) sink.next(Buffer.from(body))
      else sink.append(Buffer.from(body))
      return isLacking
    } catch (failure) {
      const error = toTrellisError(failure)
      const text = `${error.code} ${error.message}`
      if (isCurrent() && !(isState && text === this.#sent)) {
        this.#sent = isState ? text : null
        sink.fail(error)
      }
      return error.status >= 500
    }
  }

  #retryJoin(body: Buffer, pending: PendingAnswer): void {
    const run = this.#run
    const again = () => {
      this.#retry = null
      // After a new plan, new rows come anyway.
      if (this.#run !== run) return
      const known = this.#options.shared.get(body)
      // Subscribers that share the join share the retry.
      if (known?.get(this.#key!) === pending) known.delete(this.#key!)
      this.#join(body, true)
    }
    this.#retry = setTimeout(again, this.#pause).unref()
    this.#pause = Math.min(2 * this.#pause, longestJoinRetryMillis)
  }

  #pendingFor(body: Buffer): PendingAnswer {
    const { shared } = this.#options
    let known = shared.get(body)
    if (!known) {
      known = new Map()
      shared.set(body, known)
    }
    this.#key ??= keyOf(this.#options.request)
    let pending = known.get(this.#key)
    if (!pending || pending.ending.signal.aborted) {
      const ending = new AbortController()
      pending = { answer: this.#ask(String(body), ending.signal), ending, waiting: 0 }
      known.set(this.#key, pending)
    }
    return pending
  }

  #ask(body: string, signal: AbortSignal): Promise<JoinedAnswer> {
    const { engine, request } = this.#options
    const [run, planned] = [this.#run!, this.#planned!]
    return engine.graphql.operate(request, (work) => {
      work.operation = planned.prepared.operation
      return unlessAborted(work.signal, run.join(body, signal))
    })
  }
}
