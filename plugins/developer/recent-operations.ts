// The GraphQL operations that roles sent to this instance lately, in memory, without variables. Unlike cached plans they
// outlive a change of the metadata, so that an allow-list can be tried on them.

import { LRUCache } from 'lru-cache'
import { type Engine, Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import type { OperationWork } from '../../sdk/services.ts'
import { fromWorkers } from './from-workers.ts'
import { keptName } from './kept-name.ts'
import { mostOperations, mostOperationText } from './tuning.ts'

/** An operation of a role, however often it was sent. */
interface SentOperation {
  readonly role: string
  readonly query: string
  readonly operation_name: string | null
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly count: number
  /** Runs that were refused, or failed as a whole. */
  readonly failed: number
  readonly last_at: string
}

const Sent = Type.Object(
  {
    role: Type.String(),
    query: Type.String(),
    operation_name: Type.Union([Type.String(), Type.Null()]),
    type: Type.Union([Type.Literal('query'), Type.Literal('mutation'), Type.Literal('subscription')]),
    count: Type.Integer(),
    failed: Type.Integer(),
    last_at: Type.String(),
  },
  { title: 'SentOperation' },
)

const keyOf = ({ role, query, operation_name }: Pick<SentOperation, 'role' | 'query' | 'operation_name'>): string =>
  JSON.stringify([role, operation_name, query])

/** Keeps the last operations, each once. */
export class RecentOperations {
  readonly #kept = new LRUCache<string, SentOperation>({
    ...{ max: mostOperations, maxSize: mostOperationText, maxEntrySize: mostOperationText / 16 },
    sizeCalculation: ({ query }) => query.length + 1,
  })

  add(sent: Omit<SentOperation, 'count' | 'last_at'>): void {
    const key = keyOf(sent)
    const known = this.#kept.get(key)
    const before = known ?? { count: 0, failed: 0 }
    this.#kept.set(key, {
      ...sent,
      ...{ count: before.count + 1, failed: before.failed + sent.failed, last_at: new Date().toISOString() },
    })
  }

  get all(): readonly SentOperation[] {
    return [...this.#kept.values()]
  }
}

/** The operation that a request chose; null: its text has none. */
function chosen(work: OperationWork, graphql: Engine['graphql']): OperationWork['operation'] {
  if (work.operation) return work.operation
  try {
    return graphql.operation(work.request)
  } catch {
    return null
  }
}

/** Installs the hook that keeps them. `named` is called with the name of each. */
export function keepOperations(
  { around, graphql }: Pick<Engine, 'around' | 'graphql'>,
  recent: RecentOperations,
  named: (name: string | null) => void,
): void {
  around({
    async operation(work, run) {
      let failed = 1
      try {
        const result = await run()
        failed = 0
        return result
      } finally {
        const sent = chosen(work, graphql)
        if (sent) {
          const { query, operationName } = work.request
          const role = keptName(work.session.role)
          recent.add({ ...{ role, query, operation_name: operationName, type: sent.kind }, failed })
          named(sent.node.name?.value ?? null)
        }
      }
    },
  })
}

/** Those of several workers, each once, the last one first. */
function joined(lists: readonly (readonly SentOperation[])[]): readonly SentOperation[] {
  const all = new Map<string, SentOperation>()
  for (const sent of lists.flat()) {
    const key = keyOf(sent)
    const known = all.get(key)
    const later = known && known.last_at > sent.last_at ? known : sent
    const sums = { count: sent.count + (known?.count ?? 0), failed: sent.failed + (known?.failed ?? 0) }
    all.set(key, { ...later, ...sums })
  }
  return [...all.values()].sort((one, other) => (one.last_at < other.last_at ? 1 : -1))
}

const Args = Type.Object({
  role: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostOperations })),
})

/** `get_recent_operations`. */
export function getRecentOperations(recent: RecentOperations, workers: Engine['workers']) {
  const ofAll = fromWorkers(workers, 'operations', () => recent.all)
  return operation({
    type: 'get_recent_operations',
    about: {
      summary: 'Lists the GraphQL operations that this instance received lately, each once, without variables.',
      result: Type.Object({ operations: Type.Array(Sent) }),
    },
    args: Args,
    access: 'any',
    editsMetadata: false,
    onlyReads: true,
    async handle(_context, { role, limit = mostOperations }) {
      const all = joined(await ofAll())
      return { operations: all.filter((sent) => role === undefined || sent.role === role).slice(0, limit) }
    },
  })
}
