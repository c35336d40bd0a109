// The variables of a request: defaults, presence, and the shape by which plans are shared.

import { Kind, type TypeNode, visit } from 'graphql'
import { validationFailed } from '../errors.ts'
import { compareText } from '../names.ts'
import type { Operation } from './document.ts'
import { literalJson } from './literals.ts'
import type { Dependence, Variables } from './plan-context.ts'

/** The operation's variables with defaults filled in; refuses a missing value of a non-null type. */
export function readVariables(operation: Operation, given: Readonly<Record<string, unknown>> | null): Variables {
  const variables: Record<string, unknown> = Object.create(null)
  if (given) {
    for (const name of Object.keys(given)) variables[name] = given[name]
  }
  for (const [name, { type, defaultValue }] of operation.variables) {
    if (variables[name] === undefined && defaultValue) variables[name] = literalJson(defaultValue, () => null)
    if (type.kind === Kind.NON_NULL_TYPE && (variables[name] ?? null) === null) {
      throw validationFailed(`expecting a value for non-nullable variable: "${name}"`)
    }
  }
  return variables
}

/** Refuses variables that were sent and that the operation does not use. */
export function checkUnused(variables: Variables, used: ReadonlySet<string>, operation: Operation): void {
  const unplanned = Object.keys(variables).filter((name) => !used.has(name) && !isDefaulted(operation, name))
  if (unplanned.length === 0) return
  const mentioned = mentionedVariables(operation)
  const unexpected = unplanned.filter((name) => !mentioned.has(name))
  if (unexpected.length === 0) return
  throw validationFailed(`unexpected variables in variableValues: ${unexpected.sort(compareText).join(', ')}`)
}

/** The variables in the operation's text, those of parts that directives or type conditions leave out among them. */
function mentionedVariables({ node, fragments }: Operation): ReadonlySet<string> {
  const names = new Set<string>()
  const sets = new Set([node.selectionSet])
  for (const set of sets) {
    visit(set, {
      Variable: ({ name }) => void names.add(name.value),
      FragmentSpread: ({ name }) => void sets.add(fragments.get(name.value)!.selectionSet),
    })
  }
  return names
}

const isDefaulted = (operation: Operation, name: string) => operation.variables.get(name)?.defaultValue !== undefined

/**
 * What a plan may depend on, as text: kinds of values and members of objects; for variables in `dependences` also the
 * lengths of lists, or instead an aspect or the value itself. Two requests with the same text can share a plan.
 */
export function variablesShape(
  operation: Operation,
  variables: Variables,
  dependences: ReadonlyMap<string, Dependence>,
): string {
  let shape = ''
  for (const name in variables) {
    const dependence = dependences.get(name)
    const type = operation.variables.get(name)?.type
    const value = variables[name]
    if (dependence === 'value') shape += `${name}=${JSON.stringify(value)};`
    else if (typeof dependence === 'function') shape += `${name}~${JSON.stringify(dependence(value))};`
    else if (type && isJsonType(type)) shape += value === null ? `${name}:n;` : `${name}:j;`
    else shape += `${name}:${shapeOf(value, dependence === 'lengths', 0)};`
  }
  return shape
}

/** What stands in a json value does not concern the plan. */
function isJsonType(type: TypeNode): boolean {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return named.kind === Kind.NAMED_TYPE && (named.name.value === 'jsonb' || named.name.value === 'json')
}

/** Variables nested deeper than this are refused, as literals are by the parser. */
const maxDepth = 1000

function shapeOf(value: unknown, lengths: boolean, depth: number): string {
  if (depth > maxDepth) throw validationFailed('the value is nested too deeply', ['variables'])
  if (value === null || value === undefined) return 'n'
  switch (typeof value) {
    case 'string':
      return 's'
    case 'number':
      return 'd'
    case 'boolean':
      return 'b'
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => shapeOf(item, lengths, depth + 1))
    return lengths ? `[${items.join()}]` : `[${[...new Set(items)].sort().join()}]`
  }
  if (JSON.isRawJSON(value)) return 'd'
  let members = '{'
  for (const key of Object.keys(value as object)) {
    members += `${JSON.stringify(key)}:${shapeOf((value as Record<string, unknown>)[key], lengths, depth + 1)},`
  }
  return `${members}}`
}
