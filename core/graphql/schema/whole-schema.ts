// All types of a role's schema, reached from its root types step by step. Introspection of one type needs only a few.

import {
  type GraphQLDirective,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  introspectionTypes,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { atOnce, type Steps } from '../../concurrency/stepwise.ts'
import { internalError } from '../../errors/errors.ts'
import { conflictingDefinitions } from '../../metadata/naming/type-names.ts'
import { LeanField, LeanInput, type LeanList, namedType } from '../read/lean-members.ts'
import type { PlannedRoot, PlannedSchema } from '../read/planned-schema.ts'
import { isOfKind } from '../read/table-types.ts'
import { fieldsAtOnce, typesIndexedAtOnce } from '../tuning.ts'
import { directivesOf } from './directives.ts'
import { type Member, type Members, membersOf, noMembers, partsOf } from './members.ts'
import { withMergedRows } from './merged-rows.ts'
import { sortedByName } from './sorted-by-name.ts'

const rootKinds = ['query', 'mutation', 'subscription'] as const

type RootKind = (typeof rootKinds)[number]

interface Roots {
  readonly query: GraphQLObjectType
  readonly mutation: GraphQLObjectType | undefined
  readonly subscription: GraphQLObjectType | undefined
}

/** All types of a role's schema. */
class Complete {
  readonly #types: readonly GraphQLNamedType[]
  #implementations: ReadonlyMap<string, readonly GraphQLObjectType[]> | null = null

  constructor(types: readonly GraphQLNamedType[]) {
    this.#types = types
  }

  /** Object types by the names of their interfaces. */
  get implementations(): ReadonlyMap<string, readonly GraphQLObjectType[]> {
    this.#implementations ??= implementationsOf(this.#types)
    return this.#implementations
  }
}

/** The type in a form of its own, unless it keeps no fields: those that it creates when they are read are released with it. */
const copyOf = <T extends GraphQLNamedType>(type: T): T =>
  isOfKind(type) ? type : Object.assign(Object.create(Object.getPrototypeOf(type)), type)

/** Writes a type with its members; the rest of the work is returned as steps. */
export type WriteType = (type: GraphQLNamedType, members: Members) => Steps<void> | undefined

/** A root type, which may have thousands of fields: they are created in parts. */
interface LargeRoot {
  readonly source: PlannedRoot
  /** Names of its fields, in their order, in parts. */
  readonly parts: readonly (readonly string[])[]
  /** The number of parts whose types were reached. */
  visited: number
}

/**
 * A role's schema with the types that have been reached so far; the methods in steps reach the others as needed. Most types
 * are visited as copies, so that their fields are released at once.
 */
export class WholeSchema {
  readonly directives: readonly GraphQLDirective[]
  readonly #role: PlannedSchema
  #reached: GraphQLNamedType[] = []
  /** Reached types by their names, as far as one was asked for. */
  readonly #byName = new Map<string, GraphQLNamedType>()
  #indexed = 0
  /** Those of the reached types that bear no mark of it, such as scalars: they are few, and most references lead to them. */
  readonly #others = new Set<GraphQLNamedType>()
  readonly #rootTypes = new Map<RootKind, GraphQLObjectType>()
  readonly #largeRoots = new Map<GraphQLNamedType, LargeRoot>()
  #visited = 0
  #written = 0
  /** Those of the written types, which are written at the end. */
  #interfaces: GraphQLInterfaceType[] = []
  #roots: Roots | null = null
  #complete: Complete | null = null
  #parts = 0

  constructor(role: PlannedSchema) {
    this.#role = role
    this.directives = directivesOf(role)
    for (const type of introspectionTypes) this.#reach(type)
    for (const { args } of this.directives) for (const { type } of args) this.#reach(namedType(type))
  }

  /** The number of types reached so far, their members, and arguments. */
  get parts(): number {
    return this.#parts
  }

  /** Whether introspection of this schema shows types that are known only when all were reached. */
  get mayRepeatRows(): boolean {
    return this.#role.mayRepeatRows
  }

  /** The type of this name; null if no field leads to it. */
  *typeNamed(name: string): Steps<GraphQLNamedType | null> {
    if (this.mayRepeatRows) return (yield* this.unambiguous()).get(name) ?? null
    if (!this.#roots) {
      // The thousands of fields of one root are known without those of the others.
      const asked = rootKinds.find((kind) => this.#role.root(kind).name === name && !this.#isAbsent(kind))
      if (asked) return yield* this.#root(asked)
    }
    yield* this.roots()
    for (;;) {
      yield* this.#index()
      const type = this.#byName.get(name)
      if (type) return type
      if (this.#complete) return null
      if (this.#visited < this.#reached.length) yield* this.#visitNext()
      else yield* this.unambiguous()
    }
  }

  *#index(): Steps<void> {
    while (this.#indexed < this.#reached.length) {
      const type = this.#reached[this.#indexed++]!
      this.#byName.set(type.name, type)
      if (this.#indexed % typesIndexedAtOnce === 0) yield
    }
  }

  /** The root types. */
  *roots(): Steps<Roots> {
    if (this.#roots) return this.#roots
    const query = yield* this.#root('query')
    const mutation = this.#isAbsent('mutation') ? undefined : yield* this.#root('mutation')
    const subscription = this.#isAbsent('subscription') ? undefined : yield* this.#root('subscription')
    this.#roots = { query, mutation, subscription }
    return this.#roots
  }

  #isAbsent(kind: RootKind): boolean {
    return kind !== 'query' && this.#role.root(kind).isAbsent
  }

  *#root(kind: RootKind): Steps<GraphQLObjectType> {
    const known = this.#rootTypes.get(kind)
    if (known) return known
    const source = this.#role.root(kind)
    const type = source.objectType()
    this.#rootTypes.set(kind, type)
    const named = yield* sortedByName([...source.fieldNames()].map((name) => ({ name })))
    const names = named.map(({ name }) => name)
    const count = Math.ceil(names.length / fieldsAtOnce)
    const parts = Array.from({ length: count }, (_, i) => names.slice(i * fieldsAtOnce, (i + 1) * fieldsAtOnce))
    this.#largeRoots.set(type, { source, parts, visited: 0 })
    this.#reach(type)
    return type
  }

  /** All types by name; refused when two types share one. */
  *unambiguous(): Steps<ReadonlyMap<string, GraphQLNamedType>> {
    yield* this.completed()
    yield* this.#index()
    if (this.#byName.size === this.#reached.length) return this.#byName
    const name = this.#role.ambiguousTypeName()
    throw internalError(conflictingDefinitions(name ?? repeatedName(this.#reached)))
  }

  /** All types; two of them may share a name. */
  *completed(): Steps<Complete> {
    if (this.#complete) return this.#complete
    yield* this.roots()
    for (const root of this.#largeRoots.values()) yield* this.#reachFromRoot(root)
    while (this.#visited < this.#reached.length) yield* this.#visitNext()
    if (this.mayRepeatRows) this.#merge()
    this.#complete = new Complete(this.#reached)
    return this.#complete
  }

  /** Merges row types of one name. */
  #merge(): void {
    const types = withMergedRows(this.#reached)
    if (types === this.#reached) return
    this.#reached = [...types]
    this.#visited = types.length
    this.#parts = types.reduce((parts, type) => parts + partsOf(membersOf(type)), 0)
    this.#largeRoots.clear()
    this.#byName.clear()
    this.#indexed = 0
    const byName = new Map(types.map((type) => [type.name, type]))
    const now = <T extends GraphQLNamedType | undefined>(type: T): T => (type && byName.get(type.name)) as T
    const { query, mutation, subscription } = this.#roots!
    this.#roots = { query: now(query), mutation: now(mutation), subscription: now(subscription) }
  }

  /**
   * Calls back for each type, and reaches the types that it leads to; two of them may share a name.
   */
  *each(write: WriteType): Steps<void> {
    yield* this.roots()
    if (this.mayRepeatRows) yield* this.completed()
    this.#written = 0
    this.#interfaces = []
    for (const [type, root] of this.#largeRoots) {
      yield* write(type, noMembers) ?? []
      yield* this.#reachFromRoot(root)
    }
    yield* this.eachReached(write)
    yield* this.completed()
    // Object types of interfaces are known only now.
    for (const type of this.#interfaces) yield* write(type, membersOf(type)) ?? []
  }

  /**
   * Calls back for the types that were reached since the last call, and for those that they lead to, apart from roots and
   * interfaces. Called after each part of a root: the parts of a type then die young, which costs little.
   */
  *eachReached(write: WriteType): Steps<void> {
    // Types are reached while others are written.
    while (this.#written < this.#reached.length) {
      const type = this.#reached[this.#written]!
      const isNext = this.#written++ === this.#visited
      if (this.#largeRoots.has(type)) {
        if (isNext) this.#visited++
      } else if (isInterfaceType(type)) {
        this.#interfaces.push(type)
        if (isNext) yield* this.#visitNext()
      } else {
        const copy = copyOf(type)
        const members = membersOf(copy)
        if (isNext) this.#visit(copy, members)
        const remaining = write(copy, members)
        if (remaining) yield* remaining
      }
    }
  }

  /** Whether the fields of a type are created in parts. */
  isLargeRoot(type: GraphQLNamedType): boolean {
    return this.#largeRoots.has(type)
  }

  /** The fields of a root type in parts, in the order of their names; null for other types. */
  fieldsInParts(type: GraphQLNamedType): Iterable<readonly LeanField[]> | null {
    const root = this.#largeRoots.get(type)
    return root ? this.#fieldsInParts(root, 0) : null
  }

  *#fieldsInParts(root: LargeRoot, first: number): Iterable<readonly LeanField[]> {
    for (let i = first; i < root.parts.length; i++) {
      const fields = root.source.fieldsAnew(root.parts[i]!)
      if (i === root.visited) {
        for (const field of fields) this.#reachFrom(field)
        this.#parts += fields.reduce((parts, { args }) => parts + 1 + args.length, i === 0 ? 1 : 0)
        root.visited++
      }
      yield fields
    }
  }

  /** Reaches the types of those parts that no call has asked for. */
  *#reachFromRoot(root: LargeRoot): Steps<void> {
    for (const _ of this.#fieldsInParts(root, root.visited)) yield
  }

  *#visitNext(): Steps<void> {
    const type = this.#reached[this.#visited]!
    const root = this.#largeRoots.get(type)
    if (root) {
      yield* this.#reachFromRoot(root)
      this.#visited++
    } else {
      const copy = copyOf(type)
      this.#visit(copy, membersOf(copy))
    }
    yield
  }

  /** Visits the next type in the form of its copy. */
  #visit(copy: GraphQLNamedType, members: Members): void {
    this.#visited++
    this.#reachAll(copy, members)
    this.#parts += partsOf(members)
  }

  /**
   * Reaches the types that a type leads to. The object types of an interface belong to the schema even if no field leads to
   * them.
   */
  #reachAll(type: GraphQLNamedType, members: Members): void {
    if (isUnionType(type)) for (const each of type.getTypes()) this.#reach(each)
    else if (isObjectType(type) || isInterfaceType(type)) {
      for (const each of type.getInterfaces()) this.#reach(each)
      if (isInterfaceType(type)) for (const each of type.extensions.possibleTypes?.() ?? []) this.#reach(each)
    }
    if (this.#isNew(members)) for (const member of members.members) this.#reachFrom(member)
  }

  /** Whether this is the first time that types are reached from a list, which fields and types may share. */
  #isNew(list: LeanList<unknown>): boolean {
    if (!list.isShared) return true
    const isNew = list.reachedBy !== this
    list.reachedBy = this
    return isNew
  }

  #reachFrom(member: Member): void {
    if (member instanceof LeanInput) this.#reach(namedType(member.type))
    else if (member instanceof LeanField) {
      this.#reach(namedType(member.type))
      const { list } = member
      if (list.members.length > 0 && this.#isNew(list)) {
        for (const argument of list.members) this.#reach(namedType(argument.type))
      }
    } else if ('type' in member) {
      this.#reach(namedType(member.type))
      if ('args' in member) for (const argument of member.args) this.#reach(namedType(argument.type))
    }
  }

  #reach(type: GraphQLNamedType): void {
    if (isOfKind(type)) {
      // Such a type belongs to one schema, and so can bear its mark.
      if (type.reachedBy === this) return
      type.reachedBy = this
    } else {
      if (this.#others.has(type)) return
      this.#others.add(type)
    }
    this.#reached.push(type)
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
  atOnce(new WholeSchema(role).unambiguous())
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
