// The limits: on the size of operations and batches, before the role's schema is consulted, and on their time.

import { chooseOperation, type GraphQLOperation } from '../../sdk/graphql.ts'
import { badRequest, isAdmin } from '../../sdk/index.ts'
import type { Around, AroundSync, BatchWork, DocumentWork, EndableWork } from '../../sdk/services.ts'
import type { EffectiveLimits, RoleLimits } from './effective.ts'
import { type IntrospectionSize, type Size, sizeOf } from './measure.ts'

/**
 * Introspection by tools has a few hundred nodes and goes from types to other types once. Each further step
 * multiplies the response by hundreds.
 */
const introspectionLimit: IntrospectionSize = { nodes: 1000, lists: 2 }

/**
 * Checks the operations of all roles except `admin`, and measures each operation once. Measuring has a limit for
 * `admin` as well.
 */
export function sizeLimit(limits: EffectiveLimits): AroundSync<DocumentWork> {
  const sizes = new WeakMap<GraphQLOperation, Size>()
  return ({ document, session, request }, run) => {
    const operation = chooseOperation(document, request.operationName)
    let size = sizes.get(operation)
    if (!size) {
      size = sizeOf(operation)
      sizes.set(operation, size)
    }
    if (!isAdmin(session)) {
      check(size, limits.of(session.role))
      if (limits.limitsIntrospection) checkIntrospection(size.introspection)
    }
    return run()
  }
}

function check({ depth, nodes, aliases }: Size, limits: RoleLimits): void {
  if (limits.depth !== null && depth > limits.depth) throw depthExceeded(depth, limits.depth)
  if (limits.nodes !== null && nodes > limits.nodes) throw nodesExceeded(nodes, limits.nodes)
  if (limits.aliases !== null && aliases > limits.aliases) throw aliasesExceeded(aliases, limits.aliases)
}

function checkIntrospection({ lists, nodes }: IntrospectionSize): void {
  if (lists > introspectionLimit.lists) throw introspectionListsExceeded(lists, introspectionLimit.lists)
  if (nodes > introspectionLimit.nodes) throw introspectionNodesExceeded(nodes, introspectionLimit.nodes)
}

/** Refuses batches with too many operations. */
export const batchLimit =
  (limits: EffectiveLimits): Around<BatchWork> =>
  async ({ applicant: { session }, size }, run) => {
    const limit = isAdmin(session) ? null : limits.of(session.role).batch
    if (limit !== null && size > limit) throw batchExceeded(size, limit)
    return run()
  }

/** Aborts work that exceeds its role's time limit, and cancels its SQL statements. */
export const timeLimit =
  (limits: EffectiveLimits): Around<EndableWork> =>
  (work, run) => {
    const seconds = isAdmin(work.session) ? null : limits.of(work.session.role).time
    return seconds === null ? run() : runWithin(seconds, work, run)
  }

async function runWithin<T>(seconds: number, work: EndableWork, run: () => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  work.signal = work.signal ? AbortSignal.any([work.signal, signal]) : signal
  const timer = setTimeout(() => controller.abort(timeExceeded(seconds)), seconds * 1000)
  try {
    return await run()
  } finally {
    clearTimeout(timer)
  }
}

const depthExceeded = (depth: number, limit: number) =>
  badRequest('depth-limit-exceeded', `the operation is ${depth} levels deep, the depth limit is ${limit}`)

const nodesExceeded = (nodes: number, limit: number) =>
  badRequest('node-limit-exceeded', `the operation has ${nodes} nodes, the node limit is ${limit}`)

const aliasesExceeded = (aliases: number, limit: number) =>
  badRequest('alias-limit-exceeded', `the operation has ${aliases} aliases, the alias limit is ${limit}`)

const batchExceeded = (size: number, limit: number) =>
  badRequest('batch-limit-exceeded', `the batch has ${size} operations, the batch limit is ${limit}`)

const introspectionListsExceeded = (lists: number, limit: number) =>
  badRequest(
    'depth-limit-exceeded',
    `the introspection goes from types to other types ${lists} times, the limit is ${limit}`,
  )

const introspectionNodesExceeded = (nodes: number, limit: number) =>
  badRequest('node-limit-exceeded', `the introspection has ${nodes} nodes, the limit is ${limit}`)

const timeExceeded = (limit: number) =>
  badRequest('time-limit-exceeded', `the request took longer than the time limit of ${limit} s`)
