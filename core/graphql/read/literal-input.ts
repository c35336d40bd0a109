// Literals as input of statements: constants, or templates that variables fill.

import { Kind, type ValueNode } from 'graphql'
import type { InputSource } from '../../database/sql/param.ts'
import { literalJson, membersOf } from './literals.ts'

/** A literal as an input source: constant unless it holds variables. */
export function nodeInput(node: ValueNode, use: (name: string) => unknown): InputSource {
  if (node.kind === Kind.VARIABLE) {
    use(node.name.value)
    return { kind: 'variable', name: node.name.value, path: [] }
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map((value) => nodeInput(value, use))
    if (items.some(({ kind }) => kind !== 'constant')) return { kind: 'list', items }
  }
  if (node.kind === Kind.OBJECT) {
    const entries = membersOf(node).map(([name, value]) => [name, nodeInput(value, use)] as const)
    if (entries.some(([, { kind }]) => kind !== 'constant')) return { kind: 'object', entries }
  }
  return { kind: 'constant', value: literalJson(node, () => null) }
}
