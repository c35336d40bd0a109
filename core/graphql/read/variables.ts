// The variables of a request: defaults, presence, and the shape that decides which requests share a plan.

import {
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
  Kind,
  type TypeNode,
} from 'graphql'
import { type TrellisError, validationFailed } from '../../errors/errors.ts'
import { compareText } from '../../names/names.ts'
import { maxVariablesDepth, mostListed } from '../tuning.ts'
import { areAlike } from './alike.ts'
import type { GraphQLOperation } from './document.ts'
import { literalJson } from './literals.ts'
import type { Dependence, Variables } from './plan-context.ts'

/**
 * The operation's variables with defaults filled in. Refuses a missing value of a non-null type, and then variables
 * that the operation does not mention. A null is refused at its place of use, like every value that does not fit.
 */
export function readVariables(
  operation: GraphQLOperation,
  given: Readonly<Record<string, unknown>> | null,
  mentioned: ReadonlySet<string>,
): Variables {
  const variables: Record<string, unknown> = Object.create(null)
  let unexpected: string[] | null = null
  if (given) {
    for (const name of Object.keys(given)) {
      if (mentioned.has(name)) variables[name] = given[name]
      else {
        unexpected ??= []
        unexpected.push(name)
      }
    }
  }
  for (const [name, { type, defaultValue }] of operation.variables) {
    if (variables[name] !== undefined || (unexpected && Object.hasOwn(given!, name))) continue
    if (defaultValue) variables[name] = literalJson(defaultValue, () => null)
    if (type.kind === Kind.NON_NULL_TYPE && (variables[name] ?? null) === null) {
      throw validationFailed(`expecting a value for non-nullable variable: "${name}"`)
    }
  }
  if (unexpected) throw unexpectedVariables(unexpected)
  return variables
}

function unexpectedVariables(names: readonly string[]): TrellisError {
  const listed = names.slice(0, mostListed).sort(compareText).join(', ')
  const others = names.length > mostListed ? ` and ${names.length - mostListed} more` : ''
  return validationFailed(`unexpected variables in variableValues: ${listed}${others}`)
}

/** A variable and the aspects of it that plans depend on. */
export interface VariableAspect {
  readonly name: string
  readonly dependence: Dependence | undefined
  /** Whether plans ignore the structure inside its value. */
  readonly isWhole: boolean
  /** Absent until a plan uses it. */
  readonly type: GraphQLInputType | undefined
}

/** Facts about an operation's variables and its plans. */
export interface AspectOptions {
  readonly dependences: ReadonlyMap<string, Dependence>
  /** Types of variables; for the others the declarations count. */
  readonly types: ReadonlyMap<string, GraphQLInputType>
}

/** The variables that an operation declares. Any other variable makes planning fail. */
export const variableAspects = (
  { variables }: GraphQLOperation,
  { dependences, types }: AspectOptions,
): readonly VariableAspect[] =>
  Array.from(variables, ([name, { type }]) => ({
    name,
    dependence: dependences.get(name),
    isWhole: isDeclaredWhole(type),
    type: types.get(name),
  }))

/**
 * The facts that a plan may depend on, as text. By default these are kinds of values and members of objects. Recorded
 * dependences add the lengths of lists, or replace all that by an aspect or by the value itself. Requests with equal
 * texts can share a plan.
 */
export function variablesShape(aspects: readonly VariableAspect[], variables: Variables): string {
  let shape = ''
  for (const { name, dependence, isWhole, type } of aspects) {
    const value = variables[name]
    if (value === undefined) shape += '-;'
    else if (dependence === 'value') shape += `=${JSON.stringify(value)};`
    else if (typeof dependence === 'function') shape += `~${JSON.stringify(dependence(value))};`
    else if (isWhole) shape += value === null ? 'n;' : 'j;'
    else shape += `${shapeOf(value, type, dependence === 'lengths', 0)};`
  }
  return shape
}

/** A plan does not depend on the structure inside a json value. */
const isJson = (name: string): boolean => name === 'jsonb' || name === 'json'

/** The same for a scalar that a plugin reads as a whole. */
const isReadWhole = ({ name, extensions }: GraphQLScalarType): boolean =>
  isJson(name) || extensions['isReadWhole'] === true

function isDeclaredWhole(type: TypeNode): boolean {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return named.kind === Kind.NAMED_TYPE && isJson(named.name.value)
}

/** The shapes of items, with the number of those that follow each other and have the same one. */
function runs(items: readonly unknown[], shapeOfItem: (item: unknown) => string): string[] {
  const found: { readonly shape: string; count: number }[] = []
  for (const item of items) {
    const run = found.at(-1)
    const shape = shapeOfItem(item)
    if (run?.shape === shape) run.count++
    else found.push({ shape, count: 1 })
  }
  return found.map(({ shape, count }) => (count === 1 ? shape : `${count}*${shape}`))
}

function shapeOf(value: unknown, type: GraphQLInputType | undefined, lengths: boolean, depth: number): string {
  if (depth > maxVariablesDepth) throw validationFailed('the value is nested too deeply', ['variables'])
  if (value === null || value === undefined) return 'n'
  const known = type && getNullableType(type)
  if (known && isScalarType(known) && isReadWhole(known)) return 'j'
  switch (typeof value) {
    case 'string':
      return 's'
    case 'number':
      return 'd'
    case 'boolean':
      return 'b'
  }
  if (Array.isArray(value)) {
    const itemType = known && isListType(known) ? known.ofType : undefined
    const shapeOfItem = (item: unknown) => shapeOf(item, itemType, lengths, depth + 1)
    if (lengths) return `[${runs(value, shapeOfItem).join()}]`
    const shapes = new Set<string>()
    let last: unknown
    for (const item of value) {
      if (!areAlike(last, item)) shapes.add(shapeOfItem(item))
      last = item
    }
    return `[${[...shapes].sort().join()}]`
  }
  if (JSON.isRawJSON(value)) return 'd'
  // A single value counts as a list of one.
  const item = known && isListType(known) ? getNullableType(known.ofType) : known
  const fields = item && isInputObjectType(item) ? item.getFields() : undefined
  let members = '{'
  for (const key of Object.keys(value as object)) {
    const member = (value as Record<string, unknown>)[key]
    const field = fields && Object.hasOwn(fields, key) ? fields[key] : undefined
    // The name of a known field cannot contain characters that make the text ambiguous.
    members += `${field ? key : JSON.stringify(key)}:${shapeOf(member, field?.type, lengths, depth + 1)},`
  }
  return `${members}}`
}
