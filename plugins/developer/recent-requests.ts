// The last requests of this instance, in memory: times and outcomes, no values.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type Engine, Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import type { RequestWork } from '../../sdk/services.ts'
import { fromWorkers } from './from-workers.ts'
import { keptName } from './kept-name.ts'
import { mostKept } from './tuning.ts'

/** A request without anything that its client sent, except role, request id and the name of its operation. */
interface SeenRequest {
  readonly request_id: string
  readonly at: string
  readonly method: string
  /** The pattern of the route, such as `/api/rest/*`: the rest of a URL may hold values. */
  readonly endpoint: string
  /** Of its GraphQL operation, or the first one with a name. */
  readonly operation_name: string | null
  readonly role: string | null
  readonly status: number
  /** The code of the error that answered the whole request. */
  readonly code: string | null
  readonly seconds: number
}

const Nullable = Type.Union([Type.String(), Type.Null()])

const Seen = Type.Object(
  {
    request_id: Type.String(),
    at: Type.String(),
    method: Type.String(),
    endpoint: Type.String(),
    operation_name: Nullable,
    role: Nullable,
    status: Type.Integer(),
    code: Nullable,
    seconds: Type.Number(),
  },
  { title: 'SeenRequest' },
)

/** Keeps the last requests; the oldest makes room. */
export class RecentRequests {
  readonly #kept: SeenRequest[] = []
  readonly #running = new AsyncLocalStorage<{ operationName: string | null }>()
  #next = 0

  /** Runs a request; returns the name of its operation, too. */
  async running<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly name: string | null }> {
    const about = { operationName: null }
    const result = await this.#running.run(about, run)
    return { result, name: about.operationName }
  }

  /** Notes the name of an operation of the request that runs. */
  named(name: string | null): void {
    const about = this.#running.getStore()
    if (about) about.operationName ??= name
  }

  add(seen: SeenRequest): void {
    this.#kept[this.#next] = seen
    this.#next = (this.#next + 1) % mostKept
  }

  /** The newest first. */
  *newest(): Generator<SeenRequest> {
    for (let i = 1; i <= this.#kept.length; i++) yield this.#kept.at((this.#next - i) % this.#kept.length)!
  }
}

/** Installs the hook that keeps them. */
export function keepRequests({ around }: Pick<Engine, 'around'>, recent: RecentRequests): void {
  around({
    async request(work, run) {
      const [at, started] = [new Date().toISOString(), performance.now()]
      const { result, name } = await recent.running(run)
      recent.add(seenOf(work, { at, name, millis: performance.now() - started }))
      return result
    },
  })
}

const seenOf = (
  { route, request, reply, exchange }: RequestWork,
  { at, name, millis }: { readonly at: string; readonly name: string | null; readonly millis: number },
): SeenRequest => ({
  ...{ request_id: keptName(request.id), at, method: request.method, endpoint: route.url },
  operation_name: name === null ? null : keptName(name),
  role: exchange.session ? keptName(exchange.session.role) : null,
  ...{ status: reply.statusCode, code: exchange.error?.code ?? null, seconds: Math.round(millis) / 1000 },
})

const Args = Type.Object({
  /** Only requests that were answered with an error. */
  errors: Type.Optional(Type.Boolean()),
  /** Seconds. */
  slower_than: Type.Optional(Type.Number({ minimum: 0 })),
  role: Type.Optional(Type.String()),
  request_id: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostKept })),
})

/** `get_recent_requests`. */
export function getRecentRequests(recent: RecentRequests, workers: Engine['workers']) {
  const ofAll = fromWorkers(workers, 'requests', () => [...recent.newest()])
  return operation({
    type: 'get_recent_requests',
    about: {
      summary: 'Lists the last requests of this instance, of all its workers, the newest first, without values.',
      result: Type.Object({ requests: Type.Array(Seen) }),
    },
    args: Args,
    access: 'any',
    editsMetadata: false,
    onlyReads: true,
    async handle(_context, { errors = false, slower_than: least = 0, role, request_id: id, limit = mostKept }) {
      const isWanted = (seen: SeenRequest) =>
        (!errors || seen.code !== null || seen.status >= 400) &&
        seen.seconds >= least &&
        (role === undefined || seen.role === role) &&
        (id === undefined || seen.request_id === keptName(id))
      const [own, ...others] = await ofAll()
      // Texts of one form, in the order of the times.
      const newest =
        others.length === 0 ? own : [own, ...others].flat().sort((one, other) => (one.at < other.at ? 1 : -1))
      return { requests: newest.filter(isWanted).slice(0, limit) }
    },
  })
}
