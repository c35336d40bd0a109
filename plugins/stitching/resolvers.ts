// Completes the resolvers of the library: paths of errors, values of scalars, and fields that no member can look up.

import {
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  responsePathAsArray,
} from 'graphql'
import { isJsonObject, isRawNumber } from '../../sdk/services.ts'
import type { MergingMember } from './merges.ts'

type Resolver = GraphQLFieldResolver<unknown, unknown>
type Read = (value: unknown) => unknown

/** Built-in scalars whose values arrive as texts where a double cannot hold them. Own scalars keep these texts. */
const reads: ReadonlyMap<string, Read> = new Map([
  ['Float', (value) => (isRawNumber(value) ? Number(value.rawJSON) : value)],
  ['Int', (value) => (isRawNumber(value) ? Number(value.rawJSON) : value)],
  ['ID', (value) => (isRawNumber(value) ? value.rawJSON : value)],
  ['String', (value) => (isRawNumber(value) ? value.rawJSON : value)],
])

/** A value, or list of values, of a named type as its scalar takes it. */
export function readLeaf(typeName: string, value: unknown): unknown {
  const read = reads.get(typeName)
  return read ? readItems(value, read) : value
}

const readItems = (value: unknown, read: Read): unknown =>
  Array.isArray(value) ? value.map((item) => readItems(item, read)) : read(value)

/** Wraps the resolvers of all fields. */
export function wrapResolvers(schema: GraphQLSchema, members: readonly MergingMember[]): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type)
      const missing = lookupMissing(type.name, field.name, members)
      const leaf = isLeafType(named) ? named.name : null
      if (field.resolve) field.resolve = wrapped(field.resolve, { leaf, missing })
    }
  }
}

/** Why the field cannot be looked up for a value of another member; null if it can, or need not. */
function lookupMissing(typeName: string, field: string, members: readonly MergingMember[]): string | null {
  const having = members.filter(({ schema }) => isObjectType(schema.getType(typeName)))
  const owners = having.filter(({ schema }) => field in (schema.getType(typeName) as GraphQLObjectType).getFields())
  if (owners.length === having.length || owners.some(({ merged }) => merged.has(typeName))) return null
  return `"${typeName}.${field}" is not known for this value: "${owners[0]?.name}" does not merge "${typeName}"`
}

interface Completion {
  /** The name of the field's type if it is a scalar or an enum. */
  readonly leaf: string | null
  /** The error for a field without a value. */
  readonly missing: string | null
}

function wrapped(resolve: Resolver, completion: Completion): Resolver {
  const { leaf } = completion
  return (source, args, context, info) => {
    const given = leaf === null ? undefined : receivedLeaf(source, info)
    if (given !== undefined) return readLeaf(leaf!, given)
    let value: unknown
    try {
      value = resolve(source, args, context, info)
    } catch (error) {
      throw located(error, info, [])
    }
    const completed = (settledValue: unknown) =>
      settled(
        leaf === null ? settledValue : withReceived(receivedValue(source, info), settledValue, leaf),
        info,
        completion,
      )
    if (!(value instanceof Promise)) return completed(value)
    return value.then(completed, (error) => {
      throw located(error, info, [])
    })
  }
}

/**
 * The value of a field as its member sent it; undefined if it has not arrived, or may hold errors. The library
 * makes null of a value that the scalar does not take, so that a wrong value, or one with more digits, would be lost.
 */
function receivedLeaf(source: unknown, info: GraphQLResolveInfo): unknown {
  const value = receivedValue(source, info)
  return isComplete(value) ? value : undefined
}

function receivedValue(source: unknown, { fieldNodes: [node] }: GraphQLResolveInfo): unknown {
  if (!isJsonObject(source) || !node) return undefined
  const name = (node.alias ?? node.name).value
  return Object.hasOwn(source, name) ? source[name] : undefined
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || value instanceof Error

const isComplete = (value: unknown): boolean => (Array.isArray(value) ? value.every(isComplete) : !isMissing(value))

/** The library's value, which knows the errors, with each scalar as the member sent it. */
function withReceived(received: unknown, value: unknown, leaf: string): unknown {
  if (isMissing(received)) return value
  if (isComplete(received)) return readLeaf(leaf, received)
  if (!Array.isArray(received) || !Array.isArray(value)) return value
  return value.map((item, i) => withReceived(received[i], item, leaf))
}

function settled(value: unknown, info: GraphQLResolveInfo, { missing }: Completion): unknown {
  if (value === undefined && missing !== null) throw located(new GraphQLError(missing), info, [])
  if (value instanceof Error) return located(value, info, [])
  return Array.isArray(value) && value.some(holdsError) ? items(value, info, []) : value
}

const holdsError = (item: unknown): boolean => (Array.isArray(item) ? item.some(holdsError) : item instanceof Error)

/** The items of a list; `at` are the indexes of the lists around it. */
function items(list: readonly unknown[], info: GraphQLResolveInfo, at: readonly number[]): unknown[] {
  return list.map((item, i) => {
    if (item instanceof Error) return located(item, info, [...at, i])
    return Array.isArray(item) ? items(item, info, [...at, i]) : item
  })
}

/** The error with the path of its field. The library leaves out indexes of lists, and may know a path below the field. */
function located(error: unknown, { path }: GraphQLResolveInfo, at: readonly number[]): unknown {
  if (!(error instanceof Error)) return error
  const own = [...responsePathAsArray(path), ...at]
  if (isOfLibrary(error)) {
    const message = 'a member answered with a value that does not fit its type'
    return new GraphQLError(message, { path: own, originalError: error, extensions: { code: 'unexpected' } })
  }
  const { extensions } = error as Partial<GraphQLError>
  const given = error instanceof GraphQLError ? error.path : undefined
  return new GraphQLError(error.message, {
    path: [...own, ...below(own, given ?? [])],
    originalError: error,
    ...(extensions && { extensions }),
  })
}

/**
 * Whether the library could not read an answer. Errors of members are of type `GraphQLError`, and come from JSON; the library
 * combines several into an `AggregateError`.
 */
function isOfLibrary(error: Error): boolean {
  if (error instanceof AggregateError) return false
  if (!(error instanceof GraphQLError)) return true
  return error.originalError !== undefined && isOfLibrary(error.originalError)
}

/** The keys of a path after those of its field; empty if it leads elsewhere. */
function below(own: readonly (string | number)[], given: readonly (string | number)[]): readonly (string | number)[] {
  const names = own.filter((key) => typeof key === 'string')
  let next = 0
  for (const name of names) {
    while (typeof given[next] === 'number') next++
    if (given[next++] !== name) return []
  }
  // The indexes of this field's own lists are known already.
  for (let last = own.length - 1; typeof own[last] === 'number' && typeof given[next] === 'number'; last--) next++
  return given.slice(next)
}
