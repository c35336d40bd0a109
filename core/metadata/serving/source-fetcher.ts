// Fetches sources, outside of all locks. Operations wait for their fetches. Missing sources are fetched in the
// background, with growing pauses after failures.

import { unlessAborted } from '../../concurrency/aborting.ts'
import { badRequest, TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { deepFreeze, parseJson } from '../../json/json.ts'
import type { MetadataRegistry } from '../slices/registry.ts'
import {
  digestOf,
  type FetchedSource,
  placeOf,
  type SourceContent,
  type SourceContents,
  type SourceContext,
  type WantedSource,
} from '../slices/sources.ts'
import { defaultFetchTimeout, firstFetchPause, longestFetchPause, startFetchTimeout } from '../tuning.ts'

export interface SourceFetcherOptions {
  readonly registry: Pick<MetadataRegistry, 'sources'>
  readonly context: SourceContext
  /** Stores and serves the fetched sources; rejects when it cannot. */
  apply(fetched: readonly FetchedSource[]): Promise<void>
  /** Called when a background fetch fails, the first time only. */
  onFailure(source: Pick<WantedSource, 'key' | 'id'>, reason: string): void
}

/** A source that is being fetched, or that waits for a retry. */
interface Attempt {
  readonly digest: string
  /** The stored content when the attempt began. If it has changed, another fetch was faster. */
  readonly stored: SourceContent | undefined
  failures: number
  timer: NodeJS.Timeout | null
}

export class SourceFetcher {
  readonly #options: SourceFetcherOptions
  readonly #attempts = new Map<string, Attempt>()
  readonly #working = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /** The start time of the fetch that is being served, by source. */
  readonly #newest = new Map<string, number>()

  constructor(options: SourceFetcherOptions) {
    this.#options = options
  }

  /** Fetches at once; failures are among the results. */
  fetch(wanted: readonly WantedSource[], signal: AbortSignal | null = null): Promise<FetchedSource[]> {
    return Promise.all(wanted.map((each) => this.#fetch(each, signal)))
  }

  /** Begins to fetch all wanted sources, and waits a limited time for those that were never fetched. */
  async start(wanted: readonly WantedSource[], contents: SourceContents): Promise<void> {
    const missing: Promise<void>[] = []
    for (const each of wanted) {
      const stored = storedOf(each, contents)
      const working = this.#begin(each, stored)
      if (!stored) missing.push(working)
    }
    if (missing.length === 0) return
    const limit = AbortSignal.any([AbortSignal.timeout(startFetchTimeout), this.#stopping.signal])
    await unlessAborted(limit, Promise.all(missing)).catch(() => {})
  }

  /** Follows the served metadata: fetches wanted sources that are missing or failed, and stops retries of others. */
  watch(wanted: readonly WantedSource[], contents: SourceContents): void {
    const places = new Map(wanted.map((each) => [placeOf(each.key, each.id), each]))
    for (const [place, attempt] of this.#attempts) {
      const each = places.get(place)
      const isOurs = each && digestOf(each.definition) === attempt.digest && storedOf(each, contents) === attempt.stored
      if (!isOurs) this.#forget(place, attempt)
    }
    for (const [place, each] of places) {
      if (this.#attempts.has(place)) continue
      const stored = storedOf(each, contents)
      const hasFailed = contents.failures.get(place)?.digest === digestOf(each.definition)
      if (hasFailed) this.#later(each, this.#attempt(each, stored, 1))
      else if (!stored) void this.#begin(each, undefined)
    }
  }

  /** Whether no fetch that began later is served. */
  isNewest({ place, began }: FetchedSource): boolean {
    return began >= (this.#newest.get(place) ?? 0)
  }

  /** Records the sources that are served from now on. */
  served(fetched: readonly FetchedSource[]): void {
    for (const { place, began, error } of fetched) if (!error) this.#newest.set(place, began)
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    for (const [place, attempt] of this.#attempts) this.#forget(place, attempt)
    await Promise.all(this.#working)
  }

  #attempt(each: WantedSource, stored: SourceContent | undefined, failures = 0): Attempt {
    const attempt: Attempt = { digest: digestOf(each.definition), stored, failures, timer: null }
    this.#attempts.set(placeOf(each.key, each.id), attempt)
    return attempt
  }

  #begin(each: WantedSource, stored: SourceContent | undefined): Promise<void> {
    return this.#try(each, this.#attempt(each, stored))
  }

  #try(each: WantedSource, attempt: Attempt): Promise<void> {
    const working = this.#work(each, attempt).finally(() => this.#working.delete(working))
    this.#working.add(working)
    return working
  }

  async #work(each: WantedSource, attempt: Attempt): Promise<void> {
    const place = placeOf(each.key, each.id)
    const fetched = await this.#fetch(each, null)
    const isCurrent = () => this.#attempts.get(place) === attempt
    if (!isCurrent()) return
    let reason = fetched.error?.message ?? null
    if (reason === null) this.#attempts.delete(place)
    try {
      await this.#options.apply([fetched])
    } catch (error) {
      reason = messageOf(error)
      if (!this.#attempts.has(place)) this.#attempts.set(place, attempt)
    }
    if (reason === null || !isCurrent()) return
    if (attempt.failures++ === 0) this.#options.onFailure(each, reason)
    this.#later(each, attempt)
  }

  #later(each: WantedSource, attempt: Attempt): void {
    if (this.#stopping.signal.aborted) return
    const pause = Math.min(firstFetchPause * 2 ** (attempt.failures - 1), longestFetchPause)
    attempt.timer = setTimeout(() => void this.#try(each, attempt), pause)
    // This timer must not keep the process alive.
    attempt.timer.unref()
  }

  #forget(place: string, { timer }: Attempt): void {
    if (timer) clearTimeout(timer)
    this.#attempts.delete(place)
  }

  async #fetch({ key, id, definition }: WantedSource, signal: AbortSignal | null): Promise<FetchedSource> {
    const known = { place: placeOf(key, id), digest: digestOf(definition), began: performance.now() }
    const source = this.#options.registry.sources.get(key)
    const timeout = source?.timeout ?? defaultFetchTimeout
    const limit = AbortSignal.timeout(timeout)
    const ends = AbortSignal.any([limit, this.#stopping.signal, ...(signal ? [signal] : [])])
    try {
      if (!source) throw new TypeError(`no plugin declares the source "${key}"`)
      const fetching = async () => source.fetch(definition as never, ends, this.#options.context)
      const text = JSON.stringify(await unlessAborted(ends, fetching()))
      if (text === undefined) throw new TypeError(`the source "${key}" returned no JSON`)
      return {
        ...known,
        state: { kind: 'value', value: deepFreeze(parseJson(text, 'precise')), trouble: null },
        error: null,
      }
    } catch (error) {
      const refusal = limit.aborted
        ? badRequest('unexpected', `no answer within ${timeout / 1000} s`)
        : refusalOf(error)
      return { ...known, state: { kind: 'failure', reason: refusal.message }, error: refusal }
    }
  }
}

const refusalOf = (error: unknown): TrellisError =>
  error instanceof TrellisError ? error : badRequest('unexpected', messageOf(error))

function storedOf({ key, id, definition }: WantedSource, { stored }: SourceContents): SourceContent | undefined {
  const content = stored.get(placeOf(key, id))
  return content?.digest === digestOf(definition) ? content : undefined
}
