// Completes the resolvers of the library: paths of errors, numbers, and fields that no member can look up.

import {
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  responsePathAsArray,
} from 'graphql'
import { isRawNumber } from '../../sdk/services.ts'
import type { MergingMember } from './merges.ts'

type Resolver = GraphQLFieldResolver<unknown, unknown>
type Read = (value: unknown) => unknown

/** Built-in scalars whose values arrive as texts where a double cannot hold them. Own scalars keep these texts. */
const reads: ReadonlyMap<string, Read> = new Map([
  ['Float', (value) => (isRawNumber(value) ? Number(value.rawJSON) : value)],
  ['Int', (value) => (isRawNumber(value) ? Number(value.rawJSON) : value)],
  ['ID', (value) => (isRawNumber(value) ? value.rawJSON : value)],
])

/** Wraps the resolvers of all fields. */
export function wrapResolvers(schema: GraphQLSchema, members: readonly MergingMember[]): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const read = reads.get(getNamedType(field.type).name) ?? null
      const missing = lookupMissing(type.name, field.name, members)
      if (field.resolve) field.resolve = wrapped(field.resolve, { read, missing })
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
  readonly read: Read | null
  /** The error for a field without a value. */
  readonly missing: string | null
}

function wrapped(resolve: Resolver, completion: Completion): Resolver {
  return (source, args, context, info) => {
    let value: unknown
    try {
      value = resolve(source, args, context, info)
    } catch (error) {
      throw located(error, info, [])
    }
    if (!(value instanceof Promise)) return settled(value, info, completion)
    return value.then(
      (given) => settled(given, info, completion),
      (error) => {
        throw located(error, info, [])
      },
    )
  }
}

function settled(value: unknown, info: GraphQLResolveInfo, { read, missing }: Completion): unknown {
  if (value === undefined && missing !== null) throw located(new GraphQLError(missing), info, [])
  if (value instanceof Error) return located(value, info, [])
  if (Array.isArray(value))
    return read || value.some((item) => item instanceof Error) ? items(value, info, { read, at: [] }) : value
  return read ? read(value) : value
}

interface Place {
  readonly read: Read | null
  /** The indexes of the lists around it. */
  readonly at: readonly number[]
}

function items(list: readonly unknown[], info: GraphQLResolveInfo, { read, at }: Place): unknown[] {
  return list.map((item, i) => {
    if (item instanceof Error) return located(item, info, [...at, i])
    if (Array.isArray(item)) return items(item, info, { read, at: [...at, i] })
    return read ? read(item) : item
  })
}

/** The error with the path of its field. The library leaves out indexes of lists, and may know a path below the field. */
function located(error: unknown, { path }: GraphQLResolveInfo, at: readonly number[]): unknown {
  if (!(error instanceof Error)) return error
  const own = [...responsePathAsArray(path), ...at]
  const { extensions } = error as Partial<GraphQLError>
  const given = error instanceof GraphQLError ? error.path : undefined
  return new GraphQLError(error.message, {
    path: [...own, ...below(own, given ?? [])],
    originalError: error,
    ...(extensions && { extensions }),
  })
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
