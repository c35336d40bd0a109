// Finds operations that ask for the schema.

import { Kind, type SelectionSetNode } from 'graphql'
import type { GraphQLOperation } from '../../sdk/graphql.ts'

/** Whether an operation selects `__schema` or `__type`; `__typename` tells nothing of the schema. */
export function introspects({ node, fragments }: GraphQLOperation): boolean {
  const visited = new Set<string>()
  const asks = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value === '__schema' || selection.name.value === '__type'
      if (selection.kind === Kind.INLINE_FRAGMENT) return asks(selection.selectionSet)
      const name = selection.name.value
      const fragment = fragments.get(name)
      if (!fragment || visited.has(name)) return false
      visited.add(name)
      return asks(fragment.selectionSet)
    })
  return asks(node.selectionSet)
}
