// A role's schema: the fields of all contributions, each created on first use. All of them exist only while an
// introspection is answered.

import {
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  isOutputType,
  isUnionType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import type { RoleAccess, TableAccess } from '../../access/access.ts'
import type { Model, TableModel } from '../../metadata/document/model.ts'
import type { Dialect } from '../../names/dialect.ts'
import { isGraphQLName, nameKey, type QualifiedName } from '../../names/names.ts'
import type { RequestSettings } from '../options.ts'
import type { FieldSource } from '../read/selection.ts'
import type {
  Contribution,
  FieldMap,
  InputFieldMap,
  RootFieldMaker,
  RootFields,
  RootPlanner,
  SchemaKind,
  SchemaScope,
} from './contribution.ts'

export type RootKind = 'query' | 'mutation' | 'subscription'

export interface RoleSchemaInput {
  readonly kind: SchemaKind
  readonly model: Model
  readonly role: string
  readonly backendOnly: boolean
  /** The role's access to the model. */
  readonly access: RoleAccess
  readonly dialect: Dialect
  readonly settings: RequestSettings
  readonly contributions: readonly Contribution[]
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  /** Called when two contributions provide the same field; the first one is served. */
  readonly report: (conflict: string) => void
}

const rootDescriptions: Readonly<Record<RootKind, string | undefined>> = {
  query: undefined,
  mutation: 'mutation root',
  subscription: undefined,
}

export class RoleSchema implements SchemaScope {
  readonly kind: SchemaKind
  readonly model: Model
  readonly role: string
  readonly backendOnly: boolean
  readonly dialect: Dialect
  readonly settings: RequestSettings
  readonly serverVersion: number
  readonly #input: RoleSchemaInput
  readonly #contributions: readonly Contribution[]
  readonly #report: (conflict: string) => void
  readonly #access: RoleAccess
  readonly #types = new Map<string, GraphQLNamedType>()
  /** Types of tables, by the table's key and their name. */
  readonly #tableTypes = new Map<string, Map<string, GraphQLNamedType>>()
  /** All types, in the order in which they were made. */
  readonly #made: GraphQLNamedType[] = []
  readonly #roots = new Map<RootKind, RootType>()
  readonly #members = new Map<string, ReadonlyMap<string, unknown>>()

  constructor(input: RoleSchemaInput) {
    this.#input = input
    this.kind = input.kind
    this.model = input.model
    this.role = input.role
    this.backendOnly = input.backendOnly
    this.dialect = input.dialect
    this.settings = input.settings
    this.serverVersion = input.serverVersion
    const own = input.contributions.filter(({ schemas }) => schemas?.includes(input.kind) ?? true)
    this.#contributions = [...own.filter((each) => !each.yields), ...own.filter((each) => each.yields)]
    this.#report = input.report
    this.#access = input.access
  }

  access(table: QualifiedName): TableAccess | null {
    return this.#access.get(table)
  }

  type<T extends GraphQLNamedType>(name: string, build: () => T): T {
    return this.#typeIn(this.#types, name, build)
  }

  tableType<T extends GraphQLNamedType>(table: TableModel, name: string, build: () => T): T {
    const key = nameKey(table.name)
    let types = this.#tableTypes.get(key)
    if (!types) {
      types = new Map()
      this.#tableTypes.set(key, types)
    }
    return this.#typeIn(types, name, build)
  }

  #typeIn<T extends GraphQLNamedType>(types: Map<string, GraphQLNamedType>, name: string, build: () => T): T {
    const known = types.get(name)
    if (known) return known as T
    const type = build()
    if (type.name !== name) throw new Error(`type "${type.name}" was registered as "${name}"`)
    types.set(name, type)
    this.#made.push(type)
    return type
  }

  /** Whether a union of this name exists and contains the object type. */
  unionHas(union: string, member: string): boolean {
    const type = this.#types.get(union)
    return isUnionType(type) && type.getTypes().some(({ name }) => name === member)
  }

  /**
   * The name that two of the created types share, if any. Operations work with such types, but a whole schema does not.
   */
  ambiguousTypeName(): string | null {
    const seen = new Set<string>()
    for (const { name, extensions } of this.#made) {
      if (extensions['equalsRows']) continue
      if (seen.has(name)) return name
      seen.add(name)
    }
    return null
  }

  get mayRepeatRows(): boolean {
    return this.#contributions.some((contribution) => contribution.mayRepeatRows?.(this) ?? false)
  }

  anew(): RoleSchema {
    return new RoleSchema(this.#input)
  }

  rowFields(table: TableModel): FieldMap {
    return this.#merged('row', table, (contribution) => {
      const fields = contribution.rowFields?.(this, table)
      return fields && this.#withoutOwned(fields, contribution)
    })
  }

  /** The row fields without names that another contribution has reserved. */
  #withoutOwned(fields: FieldMap, contribution: Contribution): FieldMap {
    const others = this.#contributions.filter((other) => other !== contribution)
    const owned = new Set(others.flatMap(({ ownRowFields }) => ownRowFields ?? []))
    return owned.size === 0 ? fields : new Map([...fields].filter(([name]) => !owned.has(name)))
  }

  rowInterfaces(table: TableModel): readonly GraphQLInterfaceType[] {
    return this.#contributions.flatMap((contribution) => contribution.rowInterfaces?.(this, table) ?? [])
  }

  booleanFields(table: TableModel): InputFieldMap {
    return this.#merged('boolean', table, (contribution) => contribution.booleanFields?.(this, table))
  }

  orderFields(table: TableModel): InputFieldMap {
    return this.#merged('order', table, (contribution) => contribution.orderFields?.(this, table))
  }

  insertFields(table: TableModel): InputFieldMap {
    return this.#merged('insert', table, (contribution) => contribution.insertFields?.(this, table))
  }

  #merged<Make>(
    kind: string,
    table: TableModel,
    of: (contribution: Contribution) => ReadonlyMap<string, Make> | undefined,
  ): ReadonlyMap<string, Make> {
    const key = `${kind}\u0000${nameKey(table.name)}`
    let fields = this.#members.get(key) as ReadonlyMap<string, Make> | undefined
    if (!fields) {
      const sources = this.#contributions.map((each) => {
        const given = of(each) ?? new Map<string, Make>()
        requireFields(given, each, `${kind} fields`)
        return [each.name, given] as const
      })
      fields = mergeFields(sources, `table "${table.name.name}"`, this.#report)
      this.#members.set(key, fields)
    }
    return fields
  }

  /** A root type; its fields are created on demand. */
  root(kind: RootKind): RootType {
    let root = this.#roots.get(kind)
    if (!root) {
      const sources: FieldsOf<RootFields>[] = []
      for (const contribution of this.#contributions) {
        const fields = contribution[kind]?.(this)
        if (!fields) continue
        requireFields(fields, contribution, kind)
        sources.push([contribution.name, fields, contribution.yields])
      }
      root = new RootType(kind, sources, this.#report)
      this.#roots.set(kind, root)
    }
    return root
  }
}

/** Refuses a contribution's result that is not a field map, such as a plain object, before later lookups fail on it. */
function requireFields({ get }: { readonly get: unknown }, { name }: Contribution, what: string): void {
  if (typeof get !== 'function') throw new Error(`GraphQL contribution "${name}" must return its ${what} as a fieldMap`)
}

/** A contribution's name and its fields, and whether they yield to others without a report. */
type FieldsOf<Fields> = readonly [contribution: string, fields: Fields, yields?: boolean]

/** The fields of several contributions; the first contribution of a name wins. */
function mergeFields<Make>(
  sources: readonly FieldsOf<Iterable<readonly [string, Make]>>[],
  place: string,
  report: (conflict: string) => void,
): ReadonlyMap<string, Make> {
  const merged = new Map<string, Make>()
  const owners = new Map<string, string>()
  for (const [contribution, fields, yields] of sources) {
    for (const [name, make] of fields) {
      const owner = owners.get(name)
      if (owner === undefined) {
        owners.set(name, contribution)
        merged.set(name, make)
      } else if (!yields) {
        report(`"${owner}" and "${contribution}" both add the field "${name}" to ${place}`)
      }
    }
  }
  return merged
}

const placeholder = (root: RootPlanner): FieldMap =>
  new Map([
    [
      'no_queries_available',
      () => ({
        type: new GraphQLNonNull(GraphQLString),
        description: `There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.`,
        extensions: { root },
      }),
    ],
  ])

/** The fields of a root that exists for every role but has no fields for this one: GraphQL requires at least one. */
const placeholders: Readonly<Record<RootKind, FieldMap>> = {
  query: placeholder({ kind: 'resolved', completed: true, resolve: () => '' }),
  mutation: new Map(),
  subscription: placeholder({ kind: 'relational', plan: () => ({ kind: 'json', text: '""' }) }),
}

/** Answered from the schema itself; see `introspection.ts`. */
const introspected = { kind: 'resolved', completed: true, resolve: () => null } as const

const metaFields = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => {
    const field = Object.create(definition, { extensions: { value: { root: introspected } } })
    return [definition.name, field as GraphQLField<unknown, unknown>]
  }),
)

/** `query_root` and the other roots: thousands of fields; a request needs only a few. */
export class RootType implements FieldSource {
  readonly name: string
  readonly interfaces: readonly string[] = []
  readonly #kind: RootKind
  readonly #sources: readonly FieldsOf<RootFields>[]
  readonly #report: (conflict: string) => void
  readonly #made = new Map<string, GraphQLField<unknown, unknown>>()
  #makers: FieldMap | null = null
  #isEmpty: boolean | undefined

  constructor(kind: RootKind, sources: readonly FieldsOf<RootFields>[], report: (conflict: string) => void) {
    this.name = `${kind}_root`
    this.#kind = kind
    this.#sources = sources
    this.#report = report
  }

  get isEmpty(): boolean {
    this.#isEmpty ??= this.#sources.every(([, fields]) => fields[Symbol.iterator]().next().done)
    return this.#isEmpty
  }

  field(name: string): GraphQLField<unknown, unknown> | undefined {
    const made = this.#made.get(name)
    if (made) return made
    const make = this.#find(name)
    // A subscription needs them so that they are refused with a reason.
    if (!make) return this.#kind === 'mutation' ? undefined : metaFields.get(name)
    const field = this.#fields([[name, make]])[0]!
    this.#made.set(name, field)
    return field
  }

  #find(name: string): (() => GraphQLFieldConfig<unknown, unknown>) | undefined {
    for (const [, fields] of this.#sources) {
      const make = fields.get(name)
      if (make) return make
    }
    const make = placeholders[this.#kind].get(name)
    return make && this.isEmpty ? make : undefined
  }

  /**
   * The configuration of a contribution's field; refuses errors that graphql-js would report without naming field or
   * owner.
   */
  #configOf(name: string, make: () => GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
    const config = make()
    const isNamed = isGraphQLName(name)
    if (isNamed && isOutputType(Object(config).type)) return config
    const [owner] = this.#sources.find(([, fields]) => fields.get(name)) ?? []
    const fault = isNamed
      ? `the root field "${name}" has no valid output type`
      : `"${name}" is not a valid GraphQL name`
    throw new Error(`GraphQL contribution "${owner}": ${fault}`)
  }

  *fieldsNear(name: string): Iterable<string> {
    for (const [, fields] of this.#sources) {
      if (fields.near) yield* fields.near(name)
      else for (const [field] of fields) yield field
    }
  }

  /** The makers of all fields, by name. */
  #all(): FieldMap {
    this.#makers ??= this.isEmpty ? placeholders[this.#kind] : mergeFields(this.#sources, this.name, this.#report)
    return this.#makers
  }

  fieldNames(): Iterable<string> {
    return this.#all().keys()
  }

  fieldsAnew(names: readonly string[]): readonly GraphQLField<unknown, unknown>[] {
    return this.#fields(names.map((name) => [name, this.#all().get(name)!]))
  }

  #fields(makers: Iterable<readonly [name: string, make: RootFieldMaker]>): GraphQLField<unknown, unknown>[] {
    return Object.values(this.#typeOf(makers).getFields())
  }

  objectType(): GraphQLObjectType {
    return this.#typeOf(this.#all())
  }

  /** graphql-js normalises the configuration of fields only as parts of an object type. */
  #typeOf(makers: Iterable<readonly [name: string, make: RootFieldMaker]>): GraphQLObjectType {
    return new GraphQLObjectType({
      name: this.name,
      description: rootDescriptions[this.#kind],
      fields: () => Object.fromEntries(Array.from(makers, ([name, make]) => [name, this.#configOf(name, make)])),
    })
  }
}
