// The variables in the text of an operation. A walk of its own: graphql-js's visitor takes ten times as long, and was most
// of the time between the parsing and the planning of a new document.

import { type ConstDirectiveNode, type DirectiveNode, Kind, type SelectionSetNode, type ValueNode } from 'graphql'
import type { GraphQLOperation } from './document.ts'

/** The variables in the operation's text, including parts that directives or type conditions exclude. */
export function mentionedVariables({ node, fragments }: GraphQLOperation): ReadonlySet<string> {
  const names = new Set<string>()
  const sets = new Set([node.selectionSet])
  const ofDirectives = (directives: readonly (DirectiveNode | ConstDirectiveNode)[] | undefined): void => {
    if (!directives) return
    for (const directive of directives) for (const { value } of directive.arguments ?? []) ofValue(value, names)
  }
  const ofSet = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      ofDirectives(selection.directives)
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        sets.add(fragments.get(selection.name.value)!.selectionSet)
        continue
      }
      if (selection.kind === Kind.FIELD) for (const { value } of selection.arguments ?? []) ofValue(value, names)
      if (selection.selectionSet) ofSet(selection.selectionSet)
    }
  }
  ofDirectives(node.directives)
  // Sets of fragments are added meanwhile, each once.
  for (const set of sets) ofSet(set)
  return names
}

function ofValue(value: ValueNode, names: Set<string>): void {
  if (value.kind === Kind.VARIABLE) names.add(value.name.value)
  else if (value.kind === Kind.LIST) for (const item of value.values) ofValue(item, names)
  else if (value.kind === Kind.OBJECT) for (const member of value.fields) ofValue(member.value, names)
}
