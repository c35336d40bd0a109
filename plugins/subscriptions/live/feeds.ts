// Subscriptions whose results come from elsewhere, such as a remote schema. Each result is an event that is sent in full; a slow
// client slows its own source down.

import type { PlannedRequest, SubscriptionRun } from '../../../sdk/graphql.ts'
import { toAnswerable } from '../../../sdk/http.ts'
import type { Engine, TrellisError } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import { unlessAborted } from '../../../sdk/services.ts'
import { permissionCheckMillis } from '../tuning.ts'
import type { LiveRequest } from './groups/cohort.ts'

/** The receiver of results. */
export interface FeedSink {
  /** Resolves when more can be sent, or when the connection has ended. */
  room(): Promise<void>
  next(body: Buffer | string): void
  /** The answer to this result failed. */
  fail(error: TrellisError): void
  /** The subscription ends; null: regularly. */
  end(error: TrellisError | null): void
}

/** The subscription of a feed, which uses no share of the running statements. */
type FeedRequest = Omit<LiveRequest, 'caller'>

export class Feeds {
  readonly #engine: Engine
  readonly #open = new Set<Feed>()
  #timer: NodeJS.Timeout | null = null

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get count(): number {
    return this.#open.size
  }

  /** Runs a planned subscription; resolves when it ends. */
  async run(planned: PlannedRequest, request: FeedRequest, sink: FeedSink, signal: AbortSignal): Promise<void> {
    const feed = new Feed(this.#engine, { planned, request, sink, signal })
    this.#open.add(feed)
    this.#timer ??= setInterval(() => this.#check(), permissionCheckMillis).unref()
    try {
      await feed.follow()
    } finally {
      this.#open.delete(feed)
      if (this.#open.size === 0 && this.#timer) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  #check(): void {
    for (const feed of this.#open) feed.renew()
  }
}

interface FeedOptions {
  readonly planned: PlannedRequest
  readonly request: FeedRequest
  readonly sink: FeedSink
  /** Aborts when the client ends the subscription. */
  readonly signal: AbortSignal
}

class Feed {
  readonly #engine: Engine
  readonly #options: FeedOptions
  #model: Model
  #run: SubscriptionRun
  /** Closes the open source; another one may follow. */
  #opened = new AbortController()
  /** The reason why it may not continue. */
  #refusal: TrellisError | null = null

  constructor(engine: Engine, options: FeedOptions) {
    this.#engine = engine
    this.#options = options
    this.#model = engine.model
    this.#run = this.#runOf(options.planned)
  }

  async follow(): Promise<void> {
    const { sink, signal } = this.#options
    const stop = () => this.#opened.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      while (!signal.aborted && !this.#refusal) {
        const { signal: opened } = this.#opened
        const error = await this.#followOnce(opened)
        if (opened.aborted) continue
        sink.end(error)
        return
      }
      if (!signal.aborted) sink.end(this.#refusal)
    } finally {
      signal.removeEventListener('abort', stop)
      this.#opened.abort()
    }
  }

  /** After a metadata change: ends the subscription if it is not allowed now, and reopens it if its source changed. */
  renew(): void {
    const { graphql } = this.#engine
    const { request, session, schema } = this.#options.request
    if (this.#engine.model === this.#model) return
    this.#model = this.#engine.model
    const { origin } = this.#run
    const former = this.#opened
    try {
      const planned = graphql.plan(request, session, { schema })
      this.#opened = new AbortController()
      const run = this.#runOf(planned)
      if (run.origin === origin) this.#opened = former
      else former.abort()
      this.#run = run
    } catch (error) {
      this.#refusal = toAnswerable(error, this.#engine.observe)
      former.abort()
    }
  }

  #runOf(planned: PlannedRequest): SubscriptionRun {
    const { session, headers } = this.#options.request
    return this.#engine.graphql.subscriptionRun(planned, session, { headers, signal: this.#opened.signal })
  }

  /** Delivers results; gives the error that ended the source, or null. */
  async #followOnce(opened: AbortSignal): Promise<TrellisError | null> {
    const { graphql } = this.#engine
    const { request, sink } = this.#options
    try {
      const results = await graphql.operate(request, (work) => {
        work.operation = this.#options.planned.prepared.operation
        return unlessAborted(work.signal, this.#run.open())
      })
      for await (const result of results) {
        this.renew()
        if (opened.aborted) return null
        await sink.room()
        if (opened.aborted) return null
        await this.#deliver(result)
      }
      return null
    } catch (error) {
      return toAnswerable(error, this.#engine.observe)
    }
  }

  async #deliver(result: unknown): Promise<void> {
    const { sink } = this.#options
    try {
      sink.next(await this.#run.answer(result))
    } catch (error) {
      sink.fail(toAnswerable(error, this.#engine.observe))
    }
  }
}
