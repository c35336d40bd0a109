// The news for all clients. The server hears of new versions of the metadata anyway. The states of jobs and event triggers
// are compared each second while a client listens.

import { type Engine, TrellisError } from '../../sdk/index.ts'
import { type LatestEvents, latestEvents } from '../event-triggers/index.ts'
import { readVersion } from '../history/index.ts'
import type { JobState, Jobs } from '../jobs/index.ts'
import { leastPauseMillis, mostClients, pausePerLook } from './tuning.ts'

/** A client of the feed. */
export interface FeedClient {
  send(event: string, data: object): void
  /** Ends its stream because the server stops. */
  end(): void
}

type Parts = Pick<Engine, 'database' | 'metadata'>

export class Feed {
  readonly #engine: Parts
  readonly #jobs: Pick<Jobs, 'states'>
  readonly #clients = new Set<FeedClient>()
  /** The states that clients know, by event and name, as JSON. */
  readonly #known = new Map<string, string>()
  #version: number | null = null
  #timer: NodeJS.Timeout | null = null
  #isLooking = false
  #isStopping = false

  constructor(engine: Parts, jobs: Pick<Jobs, 'states'>) {
    this.#engine = engine
    this.#jobs = jobs
  }

  /** Adds a client; gives its removal. */
  add(client: FeedClient): () => void {
    if (this.#isStopping) throw new TrellisError(503, 'busy', 'the server stops: connect again')
    if (this.#clients.size >= mostClients) {
      throw new TrellisError(503, 'busy', `the feed has ${mostClients} clients already`)
    }
    const isFirst = this.#clients.size === 0
    this.#clients.add(client)
    this.#version = this.#engine.metadata.service.model.resourceVersion
    void this.#tellVersion(this.#version, [client])
    if (isFirst) {
      this.#known.clear()
      void this.#look(true)
    }
    return () => this.#remove(client)
  }

  /** Tells clients of a version that is served now. */
  changed(version: number): void {
    if (this.#clients.size === 0 || version === this.#version) return
    this.#version = version
    void this.#tellVersion(version, [...this.#clients])
  }

  /** Ends all streams; clients come back to another instance. */
  stop(): void {
    this.#isStopping = true
    this.#pause()
    for (const client of this.#clients) client.end()
  }

  #remove(client: FeedClient): void {
    this.#clients.delete(client)
    if (this.#clients.size === 0) this.#pause()
  }

  #pause(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  async #tellVersion(version: number, clients: readonly FeedClient[]): Promise<void> {
    const found = await readVersion(this.#engine.database, version).catch(() => undefined)
    const { author = null, at = null, requestId = null } = found ?? {}
    for (const client of clients) client.send('metadata', { version, author, at, request_id: requestId })
  }

  /** Compares the states with those that clients know. `isFirst`: there is nothing to compare with. */
  async #look(isFirst = false): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const started = performance.now()
    try {
      for (const state of await this.#jobs.states()) this.#compare('job', jobNews(state), isFirst)
      for (const latest of await latestEvents(this.#engine)) this.#compare('events', eventNews(latest), isFirst)
    } catch {
      // The database is away. The next look finds the changes.
    } finally {
      this.#isLooking = false
    }
    if (this.#clients.size === 0 || this.#isStopping) return
    const pause = Math.max(leastPauseMillis, (performance.now() - started) * pausePerLook)
    this.#pause()
    this.#timer = setTimeout(() => void this.#look(), pause).unref()
  }

  #compare(event: string, news: { readonly name: string }, isFirst: boolean): void {
    const key = `${event} ${news.name}`
    const text = JSON.stringify(news)
    if (this.#known.get(key) === text) return
    this.#known.set(key, text)
    if (!isFirst) for (const client of this.#clients) client.send(event, news)
  }
}

const jobNews = ({ name, running, runs, isPaused, lastStartedAt, lastFinishedAt, failuresInRow }: JobState) => ({
  ...{ name, running, runs, paused: isPaused, failures_in_row: failuresInRow },
  ...{ last_started_at: lastStartedAt, last_finished_at: lastFinishedAt },
})

const eventNews = ({ name, recorded_at, attempted_at }: LatestEvents) => ({ name, recorded_at, attempted_at })
