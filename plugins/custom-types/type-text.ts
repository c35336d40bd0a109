// Parses GraphQL's notation of types, such as `[uuid!]!`.

import { Kind, parseType, type TypeNode } from 'graphql'

const known = new Map<string, TypeNode>()

/** The number of texts that are cached; the metadata of one server has fewer. */
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

/** The named type within lists and non-null marks. */
export function baseName(text: string): string {
  let node = typeNode(text)
  while (node.kind !== Kind.NAMED_TYPE) node = node.type
  return node.name.value
}

/** Whether it is a list, nullable or not. */
export function isList(text: string): boolean {
  const node = typeNode(text)
  return (node.kind === Kind.NON_NULL_TYPE ? node.type : node).kind === Kind.LIST_TYPE
}
