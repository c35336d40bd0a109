// A role's schema: the fields of all contributions, each created on first use. All of them exist only while an
// introspection is answered.

import {
  type GraphQLFieldConfig,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { RoleAccess, TableAccess } from '../../access/access.ts'
import { blaming } from '../../errors/blame.ts'
import { requireReturn } from '../../errors/returned.ts'
import type { Model, TableModel } from '../../metadata/document/model.ts'
import { pascalCase, withSuffix } from '../../metadata/naming/casing.ts'
import { plainNaming, type SourceNaming, sourceType } from '../../metadata/naming/source-naming.ts'
import type { Dialect } from '../../names/dialect.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { RequestSettings } from '../options.ts'
import type { ChangeGuard, GuardedChange } from '../read/guard.ts'
import type { TableKind } from '../read/schema-scope.ts'
import { isOfKind, noExtensions } from '../read/table-types.ts'
import type {
  Contribution,
  FieldMap,
  InputFieldMap,
  RootFieldMaker,
  RootFields,
  SchemaKind,
  SchemaScope,
} from './contribution.ts'
import { FieldFault, type FieldsOf, firstOf, type Merging, mergeFields, requireFields, servable } from './made-field.ts'
import { type RootKind, RootType } from './root-type.ts'
import { inSource } from './source-fields.ts'
import { spelledField, spelledType, spellMembers } from './spelling.ts'

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

/** Places of a table's fields that contributions fill, and their names in errors. */
const memberKinds = {
  rowFields: 'row fields',
  booleanFields: 'boolean fields',
  orderFields: 'order fields',
  insertFields: 'insert fields',
} as const

type MemberKind = keyof typeof memberKinds

/** The types and fields of one table. */
interface OfTable {
  readonly types: Map<TableKind<GraphQLNamedType>, GraphQLNamedType>
  readonly members: { [Kind in MemberKind]?: ReadonlyMap<string, unknown> }
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
  /** By the table's key. */
  readonly #byKey = new Map<string, OfTable>()
  /** The same by the table itself, which is found sooner. */
  readonly #byTable = new WeakMap<TableModel, OfTable>()
  /** All types, in the order in which they were made. */
  readonly #made: GraphQLNamedType[] = []
  readonly #roots = new Map<RootKind, RootType>()
  /** The contributions with fields of each place. */
  readonly #contributing: Readonly<Record<MemberKind, readonly Contribution[]>>
  /** The only contributions that may add row fields of these names. */
  readonly #reserved: ReadonlyMap<string, Contribution>
  /** Whether requests are planned with this schema; one that is made for an introspection is only described. */
  #isPlanned = true

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
    const having = (kind: MemberKind) => this.#contributions.filter((each) => each[kind])
    this.#contributing = {
      rowFields: having('rowFields'),
      booleanFields: having('booleanFields'),
      orderFields: having('orderFields'),
      insertFields: having('insertFields'),
    }
    this.#reserved = new Map(own.flatMap((each) => (each.ownRowFields ?? []).map((name) => [name, each] as const)))
    this.#report = input.report
    this.#access = input.access
  }

  access(table: QualifiedName): TableAccess | null {
    return this.#access.get(table)
  }

  readonly grantors: SchemaScope['grantors'] = (has) => this.#access.grantors(has)

  type<T extends GraphQLNamedType>(name: string, build: () => T): T {
    return this.#named(name, build)
  }

  sourceTypeName(name: string): string {
    return sourceType(name, this.#naming)
  }

  generatedType<T extends GraphQLNamedType>(name: string, build: () => T): T {
    const shown = this.#naming.isCamel ? pascalCase(name) : name
    return this.#named(name, this.#naming.isCamel ? () => spelledType(build()) : build, shown)
  }

  spelledField<F extends GraphQLFieldConfig<unknown, unknown>>(field: F): F {
    return this.#naming.isCamel ? spelledField(field) : field
  }

  withSuffix(name: string, suffix: string): string {
    return withSuffix(name, suffix, this.#naming.isCamel)
  }

  get #naming(): SourceNaming {
    return this.model.slices.source?.naming ?? plainNaming
  }

  ofKind<T extends GraphQLNamedType>(kind: TableKind<T>, table: TableModel): T {
    const { types } = this.#of(table)
    const known = types.get(kind)
    if (known) return known as T
    const type = kind.make(table, this)
    const naming = this.#naming
    if (naming !== plainNaming) {
      type.name = sourceType(type.name, naming)
      if (naming.isCamel && isOfKind(type)) spellMembers(type, table.fields)
    }
    types.set(kind, type)
    this.#made.push(type)
    return type
  }

  #of(table: TableModel): OfTable {
    let known = this.#byTable.get(table)
    if (!known) {
      const key = nameKey(table.name)
      known = this.#byKey.get(key) ?? { types: new Map(), members: {} }
      this.#byKey.set(key, known)
      this.#byTable.set(table, known)
    }
    return known
  }

  #named<T extends GraphQLNamedType>(name: string, build: () => T, shown: string = name): T {
    const known = this.#types.get(name)
    if (known) return known as T
    const type = build()
    if (type.name !== name) throw new Error(`type "${type.name}" was registered as "${name}"`)
    // Each type has an object of its own for extensions, which takes a quarter of its memory.
    const { extensions } = type
    if (extensions !== noExtensions && Reflect.ownKeys(extensions).length === 0) type.extensions = noExtensions
    if (shown !== name) type.name = shown
    this.#types.set(name, type)
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
    const schema = new RoleSchema(this.#input)
    schema.#isPlanned = false
    return schema
  }

  rowFields(table: TableModel): FieldMap {
    const isPlanned = this.#isPlanned
    return this.#merged<RootFieldMaker>('rowFields', table, {
      checked: (make, name, contribution) => {
        const made = { name, place: 'row', of: table.name.name, contribution, isPlanned } as const
        return () => servable(make, made)
      },
      skips: (name, contribution) => (this.#reserved.get(name) ?? contribution) !== contribution,
    })
  }

  rowInterfaces(table: TableModel): readonly GraphQLInterfaceType[] {
    return this.#contributions.flatMap((contribution) => contribution.rowInterfaces?.(this, table) ?? [])
  }

  booleanFields(table: TableModel): InputFieldMap {
    return this.#merged('booleanFields', table)
  }

  orderFields(table: TableModel): InputFieldMap {
    return this.#merged('orderFields', table)
  }

  insertFields(table: TableModel): InputFieldMap {
    return this.#merged('insertFields', table)
  }

  guardsOf(change: GuardedChange): readonly ChangeGuard[] {
    return this.#contributions.flatMap((each) => {
      if (!each.guard) return []
      const guard = blaming(each, () => {
        const given = each.guard!(this, change)
        return requireReturn('guard', 'a guard or null', given, given === null || typeof given === 'function')
      })
      return guard ?? []
    })
  }

  #merged<Make>(
    kind: MemberKind,
    table: TableModel,
    { checked, skips }: Pick<Merging<Make>, 'checked' | 'skips'> = {},
  ): ReadonlyMap<string, Make> {
    const { members } = this.#of(table)
    const known = members[kind]
    if (known) return known as ReadonlyMap<string, Make>
    const sources: FieldsOf<ReadonlyMap<string, Make>>[] = []
    for (const contribution of this.#contributing[kind]) {
      const given = blaming(contribution, () => contribution[kind]!(this, table))
      if (given) requireFields(given, contribution, memberKinds[kind])
      if (given?.size > 0) sources.push([contribution, given as ReadonlyMap<string, Make>])
    }
    const place = `table "${table.name.name}"`
    const fields = mergeFields(sources, { place, report: this.#report, checked, skips })
    // The others are read once by an introspection.
    if (this.#isPlanned || kind === 'orderFields') members[kind] = fields
    return fields
  }

  /**
   * Makes some fields of each contribution, up to `most` of each place; throws a `FieldFault` for one that cannot be
   * served for any request. Other errors are those of the requests that need the field.
   */
  checkFields(most: number): void {
    for (const kind of ['query', 'mutation', 'subscription'] as const) {
      ignoringOthers(() => {
        for (const [contribution, { type }] of this.root(kind).sample(most)) this.#requireSoleType(type, contribution)
      })
    }
    for (const table of firstOf(this.model.tables.values(), most)) {
      ignoringOthers(() => {
        for (const make of this.rowFields(table).values()) make()
      })
    }
  }

  /** Refuses an object type of a field that has the name of a table's type without being it. */
  #requireSoleType(type: GraphQLOutputType, contribution: Contribution): void {
    const named = getNamedType(type)
    if (!isObjectType(named) || named.extensions['equalsRows'] || this.#made.includes(named)) return
    const isTaken =
      this.#made.some(({ name }) => name === named.name) ||
      [...this.model.tables.values()].some(
        ({ graphqlName }) => graphqlName !== null && this.sourceTypeName(graphqlName) === named.name,
      )
    if (!isTaken) return
    const reason = `its type "${named.name}" has the name of another type`
    const advice = 'make the type by scope.type(name, build), under a name of its own'
    throw new FieldFault(contribution, `GraphQL contribution "${contribution.name}": ${reason}: ${advice}`)
  }

  /** A root type; its fields are created on demand. */
  root(kind: RootKind): RootType {
    let root = this.#roots.get(kind)
    if (!root) {
      const sources: FieldsOf<RootFields>[] = []
      for (const contribution of this.#contributions) {
        const fields = blaming(contribution, () => contribution[kind]?.(this))
        if (!fields) continue
        requireFields(fields, contribution, kind)
        sources.push([contribution, fields])
      }
      const isPlanned = this.#isPlanned
      const options = { interfaceName: this.settings.graphqlInterface, report: this.#report, isPlanned }
      const placed = inSource(kind, sources, { scope: this, naming: this.#naming, options })
      root = new RootType(kind, placed, options)
      this.#roots.set(kind, root)
    }
    return root
  }
}

/** Runs a check at the start, which only a fault of a field ends. */
function ignoringOthers(check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof FieldFault) throw error
  }
}
