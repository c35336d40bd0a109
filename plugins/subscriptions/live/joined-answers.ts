// Live queries with fields of rows that JavaScript answers: what waits for the rows of an answer is added to it before it is
// sent. It is asked for when the rows changed, and by the rows alone; what could not be had is asked for again.

import type { JoinedAnswer, PlannedRequest, SubscriptionRun } from '../../../sdk/graphql.ts'
import { type Engine, TrellisError, toTrellisError } from '../../../sdk/index.ts'
import { unlessAborted } from '../../../sdk/services.ts'
import type { FeedRequest } from './feeds.ts'
import type { LiveSink } from './groups/cohort.ts'

/** An answer on its way, for all subscribers who wait for the same. */
interface Joining {
  readonly answer: Promise<JoinedAnswer>
  readonly ending: AbortController
  /** How many wait for it. */
  waiting: number
}

/** Answers by the bytes of the statement and by {@link keyOf}: subscribers who agree in both wait for the same. */
const shared = new WeakMap<Buffer, Map<string, Joining>>()

const departed = () => new TrellisError(499, 'client-gone', 'all clients that waited for the answer are gone')

/** Never aborts: each answer has a signal of its own. */
const noSignal = new AbortController().signal

const settled = Promise.resolve()

/** Milliseconds until what could not be had is asked for again: at first, and at most. */
const firstPause = 1000
const mostPause = 60_000

/** All that an answer depends on beside the rows. */
function keyOf({ request: { query, operationName, variables }, session, headers }: FeedRequest): string {
  return JSON.stringify([query, operationName, variables, session.role, session.variables, headers])
}

export interface JoinedAnswersOptions {
  readonly engine: Engine
  readonly request: FeedRequest
  readonly sink: LiveSink
}

/** Stands before the place where answers go; lets them through where nothing waits for their rows. */
export class JoinedAnswers implements LiveSink {
  readonly #options: JoinedAnswersOptions
  /** Answers that this subscriber waits for. */
  readonly #awaited = new Set<Joining>()
  #key: string | null = null
  #run: SubscriptionRun | null = null
  #planned: PlannedRequest | null = null
  /** Counts what came, so that a state that was overtaken is left out. */
  #turn = 0
  #waiting = 0
  #last: Promise<void> = settled
  #sent: string | null = null
  #isOver = false
  #pause = firstPause
  /** Asks for a state again. */
  #retry: NodeJS.Timeout | null = null

  constructor(options: JoinedAnswersOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#waiting > 0 || this.#options.sink.isFull
  }

  async room(): Promise<void> {
    await this.#last
    await this.#options.sink.room()
  }

  /** The plan that the answers from here on are of. */
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
    this.#pause = firstPause
    if (this.#run) this.#join(body, true)
    else this.#options.sink.next(body)
  }

  fail(error: TrellisError): void {
    this.#forgetRetry()
    this.#sent = null
    this.#turn++
    this.#afterwards(() => this.#options.sink.fail(error))
  }

  end(error: TrellisError): void {
    this.#forgetRetry()
    this.#turn++
    this.#afterwards(() => this.#options.sink.end(error))
  }

  /** Nobody wants more. */
  stop(): void {
    this.#isOver = true
    this.#forgetRetry()
    for (const joining of this.#awaited) if (--joining.waiting === 0) joining.ending.abort(departed())
    this.#awaited.clear()
  }

  #forgetRetry(): void {
    if (this.#retry) clearTimeout(this.#retry)
    this.#retry = null
  }

  #afterwards(work: () => void): void {
    if (this.#waiting === 0) work()
    else this.#last = this.#last.then(work)
  }

  #join(body: Buffer, isState: boolean): void {
    const turn = ++this.#turn
    const joining = this.#joined(body)
    joining.waiting++
    this.#awaited.add(joining)
    const settled = () => void this.#awaited.delete(joining)
    // The answer, or its error, is looked at in its turn.
    joining.answer.then(settled, settled)
    this.#waiting++
    const run = this.#run
    this.#last = this.#last.then(async () => {
      if (isState && turn !== this.#turn) return
      const isLacking = await this.#send(joining.answer, isState, turn)
      const isMeant = isState && turn === this.#turn && run === this.#run && !this.#isOver
      if (isLacking && isMeant) this.#joinLater(body, joining)
    })
    void this.#last.then(() => {
      this.#waiting--
    })
  }

  /** Sends an answer unless it was sent before; whether something of it may be there another time. */
  async #send(answer: Promise<JoinedAnswer>, isState: boolean, turn: number): Promise<boolean> {
    const { sink } = this.#options
    const isMeant = () => !this.#isOver && (!isState || turn === this.#turn)
    try {
      const { body, isLacking } = await answer
      if (!isMeant() || (isState && body === this.#sent)) return isLacking
      this.#sent = isState ? body : null
      if (isState) sink.next(Buffer.from(body))
      else sink.append(Buffer.from(body))
      return isLacking
    } catch (failure) {
      const error = toTrellisError(failure)
      const told = `${error.code} ${error.message}`
      if (isMeant() && !(isState && told === this.#sent)) {
        this.#sent = isState ? told : null
        sink.fail(error)
      }
      return error.status >= 500
    }
  }

  #joinLater(body: Buffer, joining: Joining): void {
    const run = this.#run
    const again = () => {
      this.#retry = null
      // Of another plan there is going to be another body.
      if (this.#run !== run) return
      const known = shared.get(body)
      // Who waits for the same asks once, all of them.
      if (known?.get(this.#key!) === joining) known.delete(this.#key!)
      this.#join(body, true)
    }
    this.#retry = setTimeout(again, this.#pause).unref()
    this.#pause = Math.min(2 * this.#pause, mostPause)
  }

  #joined(body: Buffer): Joining {
    let known = shared.get(body)
    if (!known) {
      known = new Map()
      shared.set(body, known)
    }
    this.#key ??= keyOf(this.#options.request)
    let joining = known.get(this.#key)
    if (!joining || joining.ending.signal.aborted) {
      const ending = new AbortController()
      joining = { answer: this.#ask(String(body), ending.signal), ending, waiting: 0 }
      known.set(this.#key, joining)
    }
    return joining
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
