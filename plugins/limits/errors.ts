// The refusals, each with its limit and what was asked for.

import { badRequest } from '../../sdk/index.ts'

export const depthExceeded = (depth: number, limit: number) =>
  badRequest('depth-limit-exceeded', `the operation is ${depth} levels deep, the depth limit is ${limit}`)

export const nodesExceeded = (nodes: number, limit: number) =>
  badRequest('node-limit-exceeded', `the operation has ${nodes} nodes, the node limit is ${limit}`)

export const aliasesExceeded = (aliases: number, limit: number) =>
  badRequest('alias-limit-exceeded', `the operation has ${aliases} aliases, the alias limit is ${limit}`)

export const batchExceeded = (size: number, limit: number) =>
  badRequest('batch-limit-exceeded', `the batch has ${size} operations, the batch limit is ${limit}`)

export const timeExceeded = (limit: number) =>
  badRequest('time-limit-exceeded', `the request took longer than the time limit of ${limit} s`)

export const introspectionListsExceeded = (lists: number, limit: number) =>
  badRequest(
    'depth-limit-exceeded',
    `the introspection goes from types to other types ${lists} times, the limit is ${limit}`,
  )

export const introspectionNodesExceeded = (nodes: number, limit: number) =>
  badRequest('node-limit-exceeded', `the introspection has ${nodes} nodes, the limit is ${limit}`)
