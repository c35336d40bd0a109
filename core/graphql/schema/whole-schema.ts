// All types of a role's schema, reached from its root types step by step. Introspection of one type needs only a few.

import {
  GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getNamedType,
  introspectionTypes,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { atOnce, type Steps } from '../../concurrency/stepwise.ts'
import { internalError } from '../../errors/errors.ts'
import { conflictingDefinitions } from '../../metadata/naming/type-names.ts'
import { compareNaturally } from '../../names/natural-order.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { withMergedRows } from './merged-rows.ts'

const fieldDirective = (directive: GraphQLDirective) =>
  new GraphQLDirective({ ...directive.toConfig(), description: undefined })

const directives = [fieldDirective(GraphQLIncludeDirective), fieldDirective(GraphQLSkipDirective)]

interface Roots {
  readonly query: GraphQLObjectType
  readonly mutation: GraphQLObjectType | undefined
  readonly subscription: GraphQLObjectType
}

/** All types of a role's schema, each name once. */
interface Complete {
  readonly byName: ReadonlyMap<string, GraphQLNamedType>
  /** Object types by the names of their interfaces. */
  readonly implementations: ReadonlyMap<string, readonly GraphQLObjectType[]>
}

/** A role's schema with the types that have been reached so far; the methods in steps reach the others as needed. */
export class WholeSchema {
  readonly directives: readonly GraphQLDirective[] = directives
  readonly #role: PlannedSchema
  readonly #reached = new Set<GraphQLNamedType>(introspectionTypes)
  readonly #byName = new Map<string, GraphQLNamedType>()
  readonly #unvisited = this.#reached.values()
  #roots: Roots | null = null
  #complete: Complete | null = null
  #parts = 0

  constructor(role: PlannedSchema) {
    this.#role = role
    for (const type of introspectionTypes) this.#byName.set(type.name, type)
  }

  /** The number of types reached so far, their members, and arguments. */
  get parts(): number {
    return this.#parts
  }

  /** The type of this name; null if no field leads to it. */
  *typeNamed(name: string): Steps<GraphQLNamedType | null> {
    if (this.#role.mayRepeatRows) yield* this.completed()
    yield* this.roots()
    while (!this.#complete && !this.#byName.has(name)) {
      const { done, value } = this.#unvisited.next()
      if (done) yield* this.completed()
      else this.#visit(value)
      yield
    }
    return (this.#complete ?? { byName: this.#byName }).byName.get(name) ?? null
  }

  /** The root types. */
  *roots(): Steps<Roots> {
    if (this.#roots) return this.#roots
    const role = this.#role
    const query = yield* role.root('query').objectType()
    const mutation = role.root('mutation').isEmpty ? undefined : yield* role.root('mutation').objectType()
    const subscription = yield* role.root('subscription').objectType()
    this.#roots = { query, mutation, subscription }
    for (const root of [query, mutation, subscription]) if (root) this.#reach(root)
    return this.#roots
  }

  /** All types, by name; refused when two types share a name. */
  *completed(): Steps<Complete> {
    if (this.#complete) return this.#complete
    const { query, mutation, subscription } = yield* this.roots()
    for (const type of this.#unvisited) {
      this.#visit(type)
      yield
    }
    const all = [...this.#reached]
    const types = withMergedRows(all)
    if (types !== all) this.#parts = types.reduce((parts, type) => parts + partsOf(type), 0)
    const byName = new Map(types.map((type) => [type.name, type]))
    if (byName.size < types.length) {
      const name = this.#role.ambiguousTypeName()
      throw internalError(conflictingDefinitions(name ?? repeatedName(types)))
    }
    const now = <T extends GraphQLNamedType | undefined>(type: T): T => (type && byName.get(type.name)) as T
    this.#roots = { query: now(query), mutation: now(mutation), subscription: now(subscription) }
    this.#complete = { byName, implementations: implementationsOf(types) }
    return this.#complete
  }

  #visit(type: GraphQLNamedType): void {
    for (const next of leadsTo(type)) this.#reach(next)
    this.#parts += partsOf(type)
  }

  #reach(type: GraphQLNamedType): void {
    this.#reached.add(type)
    if (!this.#byName.has(type.name)) this.#byName.set(type.name, type)
  }
}

const wholeSchemas = new WeakMap<PlannedSchema, Complete>()

/** All types of a role's schema, in its own types. */
function allTypes(role: PlannedSchema): Complete {
  let all = wholeSchemas.get(role)
  if (!all) {
    all = atOnce(new WholeSchema(role).completed())
    wholeSchemas.set(role, all)
  }
  return all
}

/** The object types of the role's schema that implement an interface. */
export const implementationsIn = (role: PlannedSchema, type: GraphQLInterfaceType): readonly GraphQLObjectType[] =>
  allTypes(role).implementations.get(type.name) ?? []

/** Creates all types of a schema; throws if no schema can hold them. */
export function checkWhole(role: PlannedSchema): void {
  atOnce(new WholeSchema(role).completed())
}

/**
 * The types that a type leads to. The object types of an interface belong to the schema even if no field leads to
 * them.
 */
function leadsTo(type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()]
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const types: GraphQLNamedType[] = [...type.getInterfaces()]
  if (isInterfaceType(type)) types.push(...(type.extensions.possibleTypes?.() ?? []))
  for (const field of Object.values(type.getFields())) {
    types.push(getNamedType(field.type))
    for (const argument of field.args) types.push(getNamedType(argument.type))
  }
  return types
}

/** The type itself, its members, and arguments. */
function partsOf(type: GraphQLNamedType): number {
  if (isEnumType(type)) return 1 + type.getValues().length
  if (isInputObjectType(type)) return 1 + Object.keys(type.getFields()).length
  if (!isObjectType(type) && !isInterfaceType(type)) return 1
  return Object.values(type.getFields()).reduce((parts, { args }) => parts + 1 + args.length, 1)
}

function implementationsOf(types: readonly GraphQLNamedType[]): Map<string, GraphQLObjectType[]> {
  const implementations = new Map<string, GraphQLObjectType[]>()
  for (const type of types) {
    if (!isObjectType(type)) continue
    for (const { name } of type.getInterfaces()) {
      const known = implementations.get(name)
      if (known) known.push(type)
      else implementations.set(name, [type])
    }
  }
  return implementations
}

function repeatedName(types: readonly GraphQLNamedType[]): string {
  const seen = new Set<string>()
  return types.find(({ name }) => seen.size === seen.add(name).size)!.name
}

/** Types per part of a sort, so that each takes about a millisecond. */
const sortedAtOnce = 1000

/** The items in the order of their names. */
export function* sortedByName<T extends { readonly name: string }>(items: readonly T[]): Steps<T[]> {
  const byName = (a: T, b: T) => compareNaturally(a.name, b.name)
  if (items.length <= sortedAtOnce) return items.toSorted(byName)
  const middle = items.length >> 1
  const first = yield* sortedByName(items.slice(0, middle))
  const second = yield* sortedByName(items.slice(middle))
  yield
  // The engine's sort merges sorted runs.
  return [...first, ...second].sort(byName)
}
