// Types as GraphQL spells them: `[uuid!]!`.

import { Kind, parseType, type TypeNode } from 'graphql'

const known = new Map<string, TypeNode>()

/** How many texts are remembered; more than one server's metadata has. */
const mostKnown = 10_000

/** The syntax tree of a text that was checked when it was read. */
export function typeNode(text: string): TypeNode {
  let node = known.get(text)
  if (!node) {
    node = parseType(text, { noLocation: true })
    if (known.size >= mostKnown) known.clear()
    known.set(text, node)
  }
  return node
}

/** The name within lists and marks of what may not be null. */
export function baseName(text: string): string {
  let node = typeNode(text)
  while (node.kind !== Kind.NAMED_TYPE) node = node.type
  return node.name.value
}

/** Whether it is a list, be it one that may not be null. */
export function isList(text: string): boolean {
  const node = typeNode(text)
  return (node.kind === Kind.NON_NULL_TYPE ? node.type : node).kind === Kind.LIST_TYPE
}
