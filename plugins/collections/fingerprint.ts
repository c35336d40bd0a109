// When two GraphQL documents are the same: their syntax trees are equal once every `__typename` is taken out.

import { createHash } from 'node:crypto'
import { type ASTNode, type DocumentNode, Kind, type SelectionNode, visit } from 'graphql'

const isTypename = (node: ASTNode | SelectionNode): boolean =>
  node.kind === Kind.FIELD && node.name.value === '__typename'

/** A selection of nothing but `__typename` counts as none. */
const isIgnored = (node: ASTNode): boolean =>
  isTypename(node) || (node.kind === Kind.SELECTION_SET && node.selections.every(isTypename))

/** The text of a node itself; its members are nodes of their own. */
function textOf(node: ASTNode): string {
  if (node.kind === Kind.OPERATION_DEFINITION) return node.operation
  return 'value' in node && typeof node.value !== 'object' ? JSON.stringify(node.value) : ''
}

/** A digest that equal documents have in common, and no others. */
export function fingerprint(document: DocumentNode): string {
  const hash = createHash('sha256')
  visit(document, {
    enter(node) {
      if (isIgnored(node)) return false
      hash.update(`(${node.kind} ${textOf(node)}`)
      return undefined
    },
    leave() {
      hash.update(')')
    },
  })
  return hash.digest('base64')
}
