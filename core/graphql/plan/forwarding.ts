// Turns fields of an operation into an operation for another server: in the client's own text, with the fragments and
// variables that the fields use.

import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type VariableNode,
  visit,
} from 'graphql'
import type { FieldSelection } from '../read/selection.ts'
import type { ResolvedCall } from '../schema/call.ts'

/** The body of a request to a GraphQL server. */
export interface ForwardedRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

interface ForwardedText {
  readonly fields: readonly FieldSelection[]
  readonly query: string
  readonly variables: readonly string[]
}

/** The last text, by its first field: a cached plan runs again with the same text. */
const lastTexts = new WeakMap<FieldSelection, ForwardedText>()

/** A request for the fields of calls, under the client's response names. */
export function forwardedRequest(
  calls: readonly Pick<ResolvedCall, 'field' | 'operation' | 'variables'>[],
): ForwardedRequest {
  const [first] = calls
  if (!first) throw new Error('there is nothing to forward')
  const fields = calls.map(({ field }) => field)
  let text = lastTexts.get(first.field)
  if (!text || text.fields.length !== fields.length || text.fields.some((field, i) => field !== fields[i])) {
    text = textOf(fields, first.operation)
    lastTexts.set(first.field, text)
  }
  const { query, variables } = text
  const given = variables.filter((name) => first.variables[name] !== undefined)
  return { query, variables: Object.fromEntries(given.map((name) => [name, first.variables[name]])) }
}

function textOf(
  fields: readonly FieldSelection[],
  { node, variables, fragments }: ResolvedCall['operation'],
): ForwardedText {
  const used = { variables: new Set<string>(), fragments: new Set<string>() }
  const collect = (part: FieldNode | FragmentDefinitionNode): void => {
    visit(part, {
      Variable: ({ name }: VariableNode) => void used.variables.add(name.value),
      FragmentSpread: ({ name }) => {
        if (used.fragments.has(name.value)) return
        used.fragments.add(name.value)
        collect(fragments.get(name.value)!)
      },
    })
  }
  const selections = fields.flatMap(({ nodes }) => nodes)
  for (const selection of selections) collect(selection)
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: node.operation,
    variableDefinitions: [...variables].flatMap(([name, variable]) => (used.variables.has(name) ? [variable] : [])),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  }
  const definitions = [operation, ...[...used.fragments].map((name) => fragments.get(name)!)]
  return { fields, query: print({ kind: Kind.DOCUMENT, definitions }), variables: [...used.variables] }
}
