// The current span of asynchronous work.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestHeaders } from '../../sdk/http.ts'
import { childOf, newTrace, type SpanIds } from './ids.ts'
import { spanOf } from './propagation.ts'

/** A span that work runs in. */
export interface CurrentSpan {
  readonly ids: SpanIds
  /**
   * The span for W3C headers, which is one that some party records. Null if no party has decided whether to record.
   * Then W3C headers are not sent, so that the next server can decide.
   */
  readonly recorded: SpanIds | null
}

/**
 * The span of a request that is not recorded here. Its ids are made on first use, because most requests never need
 * them.
 */
export class UnrecordedSpan implements CurrentSpan {
  readonly #parent: () => SpanIds | null
  #known: { readonly ids: SpanIds; readonly recorded: SpanIds | null } | undefined

  constructor(parent: () => SpanIds | null) {
    this.#parent = parent
  }

  get ids(): SpanIds {
    return this.#made.ids
  }

  get recorded(): SpanIds | null {
    return this.#made.recorded
  }

  get #made() {
    if (!this.#known) {
      const parent = this.#parent()
      this.#known = { ids: parent ? childOf(parent) : newTrace(), recorded: parent?.sampled == null ? null : parent }
    }
    return this.#known
  }
}

/** The span of a request with these headers. */
export const unrecordedRequest = (headers: RequestHeaders) => new UnrecordedSpan(() => spanOf(headers))

/** The current span; null outside of requests. */
export class SpanStorage {
  readonly #storage = new AsyncLocalStorage<CurrentSpan | 'silent'>()

  get current(): CurrentSpan | null {
    const store = this.#storage.getStore()
    return store === 'silent' ? null : (store ?? null)
  }

  /** Whether the work is not recorded at all. */
  get isSilent(): boolean {
    return this.#storage.getStore() === 'silent'
  }

  /** Runs work of the recording itself, which is not recorded. */
  silently<T>(work: () => T): T {
    return this.#storage.run('silent', work)
  }

  /** Runs work in a span. */
  run<T>(span: CurrentSpan, work: () => T): T {
    return this.#storage.run(span, work)
  }
}
