// The root fields of tables, and conflicts about their names. The schema of a role decides which fields that role gets;
// this file counts every field that any role could get.

import type { Catalog } from '../../catalog/types.ts'
import type { TrellisError } from '../../errors/errors.ts'
import { compareText } from '../../names/names.ts'
import { type RootFieldKey, rootFieldKeys } from '../document/document.ts'
import type { TableModel } from '../document/model.ts'
import { objectKey } from '../document/objects.ts'
import { customRootField } from '../document/table-configuration.ts'
import { type RootFieldIndex, rootFieldIndex } from './root-field-index.ts'
import { generatedRootFieldName } from './root-field-names.ts'
import { isNamespaceType, type SourceNaming, sourceType, unplacedField, withAffixes } from './source-naming.ts'
import {
  conflictingDefinitions,
  type GeneratedTypes,
  isGeneratedType,
  isReservedType,
  isScalarOfColumns,
  type SchemaKind,
  scalarNameTaken,
  scalarsOf,
  scalarsOfFunctions,
  scalarsOfTable,
} from './type-names.ts'

/** The root fields that an administrator gets for a table. */
function rootFieldKeysOf({ catalog, primaryKey }: TableModel): RootFieldKey[] {
  const given: Record<string, boolean> = {
    insert: catalog.insertable,
    update: catalog.updatable,
    delete: catalog.deletable,
    select: true,
  }
  return rootFieldKeys.filter((key) => given[key.split('_')[0]!] && (primaryKey !== null || !key.endsWith('_by_pk')))
}

/** Names of root fields, by root. */
export interface RootFieldNames {
  readonly query: readonly string[]
  readonly mutation: readonly string[]
}

const namesByTable = new WeakMap<TableModel, RootFieldNames>()

function rootFieldNames(table: TableModel): RootFieldNames {
  const known = namesByTable.get(table)
  if (known) return known
  const { graphqlName, configuration } = table
  const keys = graphqlName === null ? [] : rootFieldKeysOf(table)
  const name = (key: RootFieldKey) =>
    customRootField(configuration, key).name ?? generatedRootFieldName(graphqlName!, key, table.isCamel)
  const isQuery = (key: RootFieldKey) => key.startsWith('select')
  const names = {
    query: keys.filter(isQuery).map(name),
    mutation: keys.filter((key) => !isQuery(key)).map(name),
  }
  namesByTable.set(table, names)
  return names
}

/** Objects whose root fields or types are already taken, by `objectKey`, with the error message. */
export interface NameConflicts {
  readonly objects: ReadonlySet<string>
  readonly message: string
  /** As {@link ConflictWording.refusal}; absent: every check refuses the operation with the message. */
  refusal?(isOwn: boolean): TrellisError | null
}

/** A name that an object claimed although it was taken. */
export interface NameConflict {
  readonly kind: 'root field' | 'type'
  /** The first of {@link names}. */
  readonly name: string
  readonly names: readonly string[]
  /** Whether an object of the same slice has the name; otherwise a table, an earlier slice or introspection has it. */
  readonly isOfSlice: boolean
  /** The default message. */
  readonly message: string
}

/** Messages about conflicts, where the interface has its own wording. */
export interface ConflictWording {
  /** Why the object is inconsistent. */
  reason(conflict: NameConflict): string
  /**
   * The error of the operation that caused the conflict; `isOwn`: the operation is about that object. Null: the
   * consistency check decides.
   */
  refusal(conflict: NameConflict, isOwn: boolean): TrellisError | null
}

/** Fields that the schema itself answers. A root field of the same name would hide them from every client. */
const introspection: RootFieldNames = { query: ['__schema', '__type', '__typename'], mutation: ['__typename'] }

/** The names of the tables' root fields and types. */
export interface TableRootFields {
  /** Whether a table or introspection provides a root field of this name. */
  has(root: keyof RootFieldNames, name: string): boolean
  /** Whether every schema has a type of this name, or a table generates one in one of the given schemas. */
  hasType(name: string, schemas?: readonly SchemaKind[]): boolean
  /** Whether the name belongs to a scalar of columns only. */
  hasScalar(name: string): boolean
  /** Tables that lost a root field or their type name, by `nameKey`, with the reason. */
  readonly losers: ReadonlyMap<string, string>
  /** Absent: there are no conflicts. */
  readonly conflicts?: NameConflicts
}

/**
 * Finds tables that claim the same root fields. `tables` are in order of precedence. A table also loses if its row type
 * has the name of another type: custom root fields do not rename types. `changed` limits the check to these tables; the
 * others are known to be free of conflicts.
 */
export function tableRootFields(
  { tables, functions, naming }: NamedObjects,
  changed: ReadonlySet<string> | null,
  generated: readonly GeneratedTypes[],
): TableRootFields {
  const index = rootFieldIndex(tables)
  const isScalar = (name: string) => scalarsOf(tables).has(name) || scalarsOfFunctions(functions).has(name)
  const isOfTables = (root: keyof RootFieldNames, name: string | null) =>
    name !== null && index.candidates(name).some((table) => rootFieldNames(table)[root].includes(name))
  const has = (root: keyof RootFieldNames, name: string) =>
    introspection[root].includes(name) || name === naming.namespace || isOfTables(root, unplacedField(name, naming))
  const hasType = (name: string, among?: readonly SchemaKind[]) => {
    const isThere = ({ schemas }: GeneratedTypes) => !among || !schemas || schemas.some((each) => among.includes(each))
    const isFixed = isReservedType(name) || isNamespaceType(name, naming)
    return isFixed || isGeneratedType(name, { tables, naming }, generated.filter(isThere))
  }
  const hasScalar = (name: string) => isScalarOfColumns(name, { tables, naming }, generated)
  const looked = changed && [...changed].map((key) => tables.get(key)).filter((table) => table !== undefined)
  const others = { index, isScalar, naming }
  const isAlone = (table: TableModel) => isAloneWithItsNames(table, others)
  if (looked?.every(isAlone)) return { has, hasType, hasScalar, losers: new Map() }
  return { has, hasType, hasScalar, ...findConflicts(tables, others) }
}

/** The objects that names are generated from. */
export interface NamedObjects {
  /** The names that the source gives to all root fields and types of tables. */
  readonly naming: SourceNaming
  readonly tables: ReadonlyMap<string, TableModel>
  /** The functions of the catalog. */
  readonly functions: Catalog['functions']
}

interface OtherNames {
  readonly index: RootFieldIndex
  readonly naming: SourceNaming
  isScalar(name: string): boolean
}

function isAloneWithItsNames(table: TableModel, { index, isScalar, naming }: OtherNames): boolean {
  for (const scalar of scalarsOfTable(table).keys()) if (index.ofType(scalar, naming)) return false
  const { graphqlName } = table
  if (graphqlName === null) return true
  const type = sourceType(graphqlName, naming)
  if (isReservedType(type) || index.isShared(graphqlName) || isScalar(type)) return false
  const names = rootFieldNames(table)
  return roots.every((root) => {
    const isOthers = (name: string) =>
      introspection[root].includes(name) ||
      index.candidates(name).some((other) => other !== table && rootFieldNames(other)[root].includes(name))
    return new Set(names[root]).size === names[root].length && !names[root].some(isOthers)
  })
}

function findConflicts(
  tables: ReadonlyMap<string, TableModel>,
  { isScalar, naming }: Pick<OtherNames, 'isScalar' | 'naming'>,
): Pick<TableRootFields, 'losers' | 'conflicts'> {
  const losers = new Map<string, TableModel>()
  const scalars = new Map<string, string>()
  const repeated = { query: new Set<string>(), mutation: new Set<string>() }
  const taken = { query: new Set(introspection.query), mutation: new Set(introspection.mutation) }
  const types = { taken: new Set<string>(), repeated: new Set<string>() }
  for (const [key, table] of tables) {
    const names = rootFieldNames(table)
    const { graphqlName } = table
    const type = graphqlName === null ? null : sourceType(graphqlName, naming)
    if (type !== null && isScalar(type) && !isReservedType(type)) {
      scalars.set(key, scalarNameTaken(type))
      losers.set(key, table)
      continue
    }
    if (type !== null && (types.taken.has(type) || isReservedType(type))) {
      types.repeated.add(type)
      losers.set(key, table)
    }
    if (type !== null) types.taken.add(type)
    for (const root of roots) {
      for (const name of names[root]) {
        if (taken[root].has(name)) {
          repeated[root].add(withAffixes(name, naming.rootFields))
          losers.set(key, table)
        }
        taken[root].add(name)
      }
    }
  }
  if (losers.size === 0) return { losers: new Map() }
  const objects = new Set([...losers.values()].map(({ name }) => objectKey({ kind: 'table', table: name })))
  const [type] = [...types.repeated].sort(compareText)
  const shared = duplicated(repeated) ?? (type === undefined ? null : conflictingDefinitions(type))
  const [scalar] = scalars.values()
  const reasons = [...losers.keys()].map((key) => [key, scalars.get(key) ?? shared!] as const)
  return { losers: new Map(reasons), conflicts: { objects, message: shared ?? scalar! } }
}

const roots = ['query', 'mutation'] as const

/** The error about root field names that occur twice; null if every name is unique. */
function duplicated(names: Readonly<Record<keyof RootFieldNames, Iterable<string>>>): string | null {
  for (const root of roots) {
    const list = [...names[root]].sort(compareText)
    if (list.length > 0) return `following ${root} root fields are duplicated: ${list.join(', ')}`
  }
  return null
}

/** Names that an object of a slice claims. */
export interface ClaimedNames extends RootFieldNames {
  /** Types that no other object may share. */
  readonly types: readonly string[]
  /** Scalars, which several objects may share. */
  readonly scalars: readonly string[]
  /** The schemas that contain the types; absent: all. */
  readonly schemas?: readonly SchemaKind[]
}

/** An object's claim, and which of its names tables or earlier slices already had. */
export interface NameClaim {
  readonly names: ClaimedNames
  readonly taken: Record<NameKind, readonly string[]>
}

const kinds = [...roots, 'types', 'scalars'] as const

type NameKind = (typeof kinds)[number]

type Names = Readonly<Record<NameKind, Set<string>>>

const noNames = (): Names => ({ query: new Set(), mutation: new Set(), types: new Set(), scalars: new Set() })

/** Whether a name of this kind is taken; scalars do not conflict with scalars. */
const isAmong = (kind: NameKind, name: string, taken: Names): boolean =>
  kind === 'scalars' ? taken.types.has(name) : taken[kind].has(name) || (kind === 'types' && taken.scalars.has(name))

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort(compareText)

/** Records the owner of each root field and type. Tables come first; then each slice claims its names in turn. */
export class NameLedger {
  readonly #tables: TableRootFields
  readonly #earlier = noNames()
  #own = noNames()

  constructor(tables: TableRootFields) {
    this.#tables = tables
  }

  /** Which of these names tables and earlier slices have. */
  taken(names: ClaimedNames): Record<NameKind, readonly string[]> {
    const of = (kind: NameKind) =>
      names[kind].filter((name) => this.#isOfTables(kind, name, names.schemas) || isAmong(kind, name, this.#earlier))
    return { query: of('query'), mutation: of('mutation'), types: of('types'), scalars: of('scalars') }
  }

  #isOfTables(kind: NameKind, name: string, schemas: ClaimedNames['schemas']): boolean {
    if (kind === 'query' || kind === 'mutation') return this.#tables.has(kind, name)
    return this.#tables.hasType(name, schemas) && !(kind === 'scalars' && this.#tables.hasScalar(name))
  }

  /** Gives the names to an object of the current slice, or returns the conflict about a name that is taken. */
  claim(names: ClaimedNames): NameConflict | null {
    const outside = this.taken(names)
    const of = (kind: NameKind) => [...outside[kind], ...names[kind].filter((name) => isAmong(kind, name, this.#own))]
    const fields = { query: of('query'), mutation: of('mutation') }
    const found = {
      fields: roots.flatMap((root) => sorted(fields[root])),
      types: sorted([...of('types'), ...of('scalars')]),
    }
    const isOfSlice = (name: string) => !kinds.some((kind) => outside[kind].includes(name))
    const [field] = found.fields
    if (field !== undefined) {
      const message = duplicated(fields)!
      return { kind: 'root field', name: field, names: found.fields, isOfSlice: isOfSlice(field), message }
    }
    const [type] = found.types
    if (type !== undefined) {
      const message = conflictingDefinitions(type)
      return { kind: 'type', name: type, names: found.types, isOfSlice: isOfSlice(type), message }
    }
    for (const kind of kinds) for (const name of names[kind]) this.#own[kind].add(name)
    return null
  }

  /** Ends the current slice; later claims belong to the next one. */
  next(): void {
    for (const kind of kinds) for (const name of this.#own[kind]) this.#earlier[kind].add(name)
    this.#own = noNames()
  }
}
