// Refuses operations that are too large, before the role's schema is looked at.

import { chooseOperation, type GraphQLOperation } from '../../sdk/graphql.ts'
import { isAdmin } from '../../sdk/index.ts'
import type { AroundSync, DocumentWork } from '../../sdk/services.ts'
import {
  aliasesExceeded,
  depthExceeded,
  introspectionListsExceeded,
  introspectionNodesExceeded,
  nodesExceeded,
} from './errors.ts'
import { type IntrospectionSize, type Size, sizeOf } from './measure.ts'
import { type ApiLimits, limitFor } from './schema.ts'

/**
 * What tools ask of a schema has a few hundred nodes and goes from types to other types once; beyond that the answer grows
 * by a factor of hundreds with each step.
 */
const introspectionLimit: IntrospectionSize = { nodes: 1000, lists: 2 }

/** Checks the operations of all roles but `admin`, for which only the measuring has an end; an operation is measured once. */
export function sizeLimit(limits: ApiLimits): AroundSync<DocumentWork> {
  const sizes = new WeakMap<GraphQLOperation, Size>()
  return ({ document, session, request }, run) => {
    const operation = chooseOperation(document, request.operationName)
    let size = sizes.get(operation)
    if (!size) {
      size = sizeOf(operation)
      sizes.set(operation, size)
    }
    if (!isAdmin(session)) check(size, limits, session.role)
    return run()
  }
}

function check({ depth, nodes, aliases, introspection }: Size, limits: ApiLimits, role: string): void {
  const depthLimit = limitFor(limits.depth_limit, role) ?? Number.POSITIVE_INFINITY
  if (depth > depthLimit) throw depthExceeded(depth, depthLimit)
  const nodeLimit = limitFor(limits.node_limit, role) ?? Number.POSITIVE_INFINITY
  if (nodes > nodeLimit) throw nodesExceeded(nodes, nodeLimit)
  const aliasLimit = limitFor(limits.alias_limit, role) ?? Number.POSITIVE_INFINITY
  if (aliases > aliasLimit) throw aliasesExceeded(aliases, aliasLimit)
  if (introspection.lists > introspectionLimit.lists) {
    throw introspectionListsExceeded(introspection.lists, introspectionLimit.lists)
  }
  if (introspection.nodes > introspectionLimit.nodes) {
    throw introspectionNodesExceeded(introspection.nodes, introspectionLimit.nodes)
  }
}
