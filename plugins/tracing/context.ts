// Which span the code at hand runs in.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestHeaders } from '../../sdk/http.ts'
import { childOf, newTrace, type SpanIds } from './ids.ts'
import { spanOf } from './propagation.ts'

/** The span that something runs in. */
export interface CurrentSpan {
  readonly ids: SpanIds
  /**
   * The span that W3C's headers name, so that it is one that somebody records; null when nobody has decided whether to:
   * then there are no such headers, which leaves the decision to others.
   */
  readonly recorded: SpanIds | null
}

/** The span of a request that is not recorded here: its name is made when somebody asks, and for most requests nobody does. */
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

/** The span at hand; outside of requests there is none. */
export class SpanStorage {
  readonly #storage = new AsyncLocalStorage<CurrentSpan>()

  get current(): CurrentSpan | null {
    return this.#storage.getStore() ?? null
  }

  /** Runs work in a span. */
  run<T>(span: CurrentSpan, work: () => T): T {
    return this.#storage.run(span, work)
  }
}
