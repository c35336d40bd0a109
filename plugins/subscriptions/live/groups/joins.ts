// Live queries with fields that are resolved outside the database: their results are joined to the rows before an answer is sent.
// Subscribers with the same rows and the same request share a join. One that lacks a part is retried for all of them together.

import type { JoinedAnswer, PlannedRequest } from '../../../../sdk/graphql.ts'
import { toAnswerable } from '../../../../sdk/http.ts'
import { type Engine, TrellisError, toTrellisError } from '../../../../sdk/index.ts'
import { unlessAborted } from '../../../../sdk/services.ts'
import { firstJoinRetryMillis, longestJoinRetryMillis } from '../../tuning.ts'
import type { JoiningSink, LiveRequest, LiveSink } from './cohort.ts'

/** Never aborts: each join has its own signal. */
const noSignal = new AbortController().signal

const disconnected = () => new TrellisError(499, 'client-gone', 'all clients that waited for the answer are gone')

type Ask = (signal: AbortSignal) => Promise<JoinedAnswer>

/** The result of a join. */
interface Joined {
  readonly answer: string | TrellisError
  /** Whether a part is missing that a retry may provide. */
  readonly isLacking: boolean
}

class Join {
  readonly #ask: Ask
  readonly #ending = new AbortController()
  result: Promise<Joined>
  #retry: { readonly result: Promise<Joined>; readonly timer: NodeJS.Timeout } | null = null
  #pause = firstJoinRetryMillis
  /** The number of subscribers that wait for it, or for a retry. */
  #waiting = 0
  #isComplete = false

  constructor(ask: Ask) {
    this.#ask = ask
    this.result = this.#run()
  }

  /** Whether all subscribers have left. */
  get isOver(): boolean {
    return this.#ending.signal.aborted
  }

  enter(): void {
    this.#waiting++
  }

  leave(): void {
    if (--this.#waiting > 0 || this.#isComplete) return
    if (this.#retry) clearTimeout(this.#retry.timer)
    this.#ending.abort(disconnected())
  }

  /** The result of the next attempt, which comes after a growing pause. */
  again(): Promise<Joined> {
    if (this.#retry) return this.#retry.result
    const { promise: result, resolve } = Promise.withResolvers<Joined>()
    const attempt = () => {
      this.#retry = null
      this.result = this.#run()
      resolve(this.result)
    }
    this.#retry = { result, timer: setTimeout(attempt, this.#pause).unref() }
    this.#pause = Math.min(2 * this.#pause, longestJoinRetryMillis)
    return result
  }

  async #run(): Promise<Joined> {
    try {
      const { body, isLacking } = await this.#ask(this.#ending.signal)
      this.#isComplete = !isLacking
      return { answer: body, isLacking }
    } catch (failure) {
      const error = toTrellisError(failure)
      return { answer: error, isLacking: error.status >= 500 }
    }
  }
}

/** Joins by the bytes of the rows, and by everything else that they depend on. */
export type SharedJoins = WeakMap<Buffer, Map<string, Join>>

function sharedJoin(joins: SharedJoins, body: Buffer, key: string, ask: Ask): Join {
  const known = joins.get(body) ?? new Map<string, Join>()
  joins.set(body, known)
  const join = known.get(key)
  if (join && !join.isOver) return join
  const started = new Join(ask)
  known.set(key, started)
  return started
}

function keyOf({ request: { query, operationName, variables }, session, headers }: LiveRequest): string {
  // The id differs for each request, and an answer does not depend on it.
  const { 'x-request-id': _id, ...others } = headers
  return JSON.stringify([query, operationName, variables, session.role, session.variables, session.readOnly, others])
}

export interface JoinedSinkOptions {
  readonly engine: Engine
  readonly joins: SharedJoins
  readonly request: LiveRequest
  readonly sink: LiveSink
}

/** Adds the results of joins to the answers for one subscriber; passes them through while the plan has no joins. */
export class JoinedSink implements JoiningSink {
  readonly #options: JoinedSinkOptions
  readonly #key: string
  #ask: ((body: Buffer, signal: AbortSignal) => Promise<JoinedAnswer>) | null = null
  /** The join of the newest answer. */
  #join: Join | null = null
  /** The last state sent, or its error. */
  #sent: string | null = null
  /** Ends with the join of a stream's answer: unlike a state, it has to be sent, and nothing overtakes it. */
  #appending: Promise<void> | null = null

  constructor(options: JoinedSinkOptions) {
    this.#options = options
    this.#key = keyOf(options.request)
  }

  planned(planned: PlannedRequest): void {
    const { engine, request } = this.#options
    const { calls, operation } = planned.prepared
    if (!this.#appending) this.#leave()
    const extras = { headers: request.headers, signal: noSignal }
    const run = calls && engine.graphql.subscriptionRun(planned, request.session, extras)
    const joined = (body: Buffer, signal: AbortSignal) =>
      engine.graphql.operate(request, (work) => {
        work.operation = operation
        return unlessAborted(work.signal, run!.join(String(body), signal))
      })
    const ask = (body: Buffer, signal: AbortSignal) =>
      joined(body, signal).catch((error: unknown) => {
        throw toAnswerable(error, engine.observe)
      })
    this.#ask = run && ask
  }

  get isFull(): boolean {
    return this.#appending !== null || this.#options.sink.isFull
  }

  async room(): Promise<void> {
    await this.#appending
    await this.#options.sink.room()
  }

  append(body: Buffer): void {
    const { sink } = this.#options
    const join = this.#enter(body)
    if (!join) {
      sink.append(body)
      return
    }
    this.#appending = join.result.then(({ answer }) => {
      this.#appending = null
      if (this.#join !== join) return
      this.#leave()
      if (answer instanceof TrellisError) sink.fail(answer)
      else sink.append(Buffer.from(answer))
    })
  }

  next(body: Buffer): void {
    const join = this.#enter(body)
    if (join) void this.#follow(join)
    else {
      this.#sent = null
      this.#options.sink.next(body)
    }
  }

  fail(error: TrellisError): void {
    this.#instead(() => this.#options.sink.fail(error))
  }

  end(error: TrellisError): void {
    this.#instead(() => this.#options.sink.end(error))
  }

  stop(): void {
    this.#leave()
  }

  /** Replaces the last join by the join of these rows, which other subscribers may share. Null: the plan has no joins. */
  #enter(body: Buffer): Join | null {
    const ask = this.#ask
    const join = ask && sharedJoin(this.#options.joins, body, this.#key, (signal) => ask(body, signal))
    join?.enter()
    this.#leave()
    this.#join = join
    return join
  }

  #leave(): void {
    this.#join?.leave()
    this.#join = null
  }

  /** Sends the results of a join until one lacks nothing, or another answer takes its place. */
  async #follow(join: Join): Promise<void> {
    for (let joined = await join.result; this.#join === join; joined = await join.again()) {
      this.#sendState(joined.answer)
      if (joined.isLacking) continue
      this.#leave()
      return
    }
  }

  #sendState(answer: Joined['answer']): void {
    const { sink } = this.#options
    const text = answer instanceof TrellisError ? `${answer.code} ${answer.message}` : answer
    if (text === this.#sent) return
    this.#sent = text
    if (answer instanceof TrellisError) sink.fail(answer)
    else sink.next(Buffer.from(answer))
  }

  /** Sends an error in place of the state that is awaited, or after the awaited answer of a stream. */
  #instead(send: () => void): void {
    this.#sent = null
    if (this.#appending) void this.#appending.then(send)
    else {
      this.#leave()
      send()
    }
  }
}
