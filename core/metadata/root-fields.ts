// Which root fields tables give, and who has a name that several claim. What a role gets of them is decided where its
// schema is made; here all that any role could get count.

import type { ErrorCode } from '../errors/errors.ts'
import { compareText } from '../names/names.ts'
import { type RootFieldKey, rootFieldKeys } from './document.ts'
import type { TableModel } from './model.ts'
import { objectKey } from './objects.ts'
import { type RootFieldIndex, rootFieldIndex } from './root-field-index.ts'
import { generatedRootFieldName } from './root-field-names.ts'
import { customRootField } from './table-configuration.ts'
import { conflictingDefinitions, type GeneratedTypes, isGeneratedType, isReservedType } from './type-names.ts'

/** The root fields that a table gives to an administrator. */
function rootFieldKeysOf({ catalog, primaryKey }: TableModel): RootFieldKey[] {
  const given: Record<string, boolean> = {
    insert: catalog.insertable,
    update: catalog.updatable,
    delete: catalog.deletable,
    select: true,
  }
  return rootFieldKeys.filter((key) => given[key.split('_')[0]!] && (primaryKey !== null || !key.endsWith('_by_pk')))
}

/** Names of root fields, by the root that they are on. */
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
    customRootField(configuration, key).name ?? generatedRootFieldName(graphqlName!, key)
  const isQuery = (key: RootFieldKey) => key.startsWith('select')
  const names = {
    query: keys.filter(isQuery).map(name),
    mutation: keys.filter((key) => !isQuery(key)).map(name),
  }
  namesByTable.set(table, names)
  return names
}

/** Objects whose root fields or types others have, by `objectKey`, and the error that says so. */
export interface NameConflicts {
  readonly objects: ReadonlySet<string>
  readonly message: string
  /** Of the error; absent: `unexpected`. */
  readonly code?: ErrorCode
}

/** Selections that the schema itself answers: a field of that name would take them from every client. */
const introspection: RootFieldNames = { query: ['__schema', '__type', '__typename'], mutation: ['__typename'] }

/** What the names of the tables' root fields and types come to. */
export interface TableRootFields {
  /** Whether a table, or introspection, gives a root field of that name. */
  has(root: keyof RootFieldNames, name: string): boolean
  /** Whether a type of that name is every schema's, or generated of a table. */
  hasType(name: string): boolean
  /** Tables that lose a root field or the name of their type, by `nameKey`. */
  readonly losers: ReadonlySet<string>
  /** Absent: there are none. */
  readonly conflicts?: NameConflicts
}

/**
 * Looks for tables that give the same root fields; `tables` come in the order in which they win. A table whose rows would
 * be of another one's type loses too: other names of root fields don't change the types' names. With `changed` only those
 * tables are looked at: the others are known to have no conflicts.
 */
export function tableRootFields(
  tables: ReadonlyMap<string, TableModel>,
  changed: ReadonlySet<string> | null,
  generated: readonly GeneratedTypes[],
): TableRootFields {
  const index = rootFieldIndex(tables)
  const has = (root: keyof RootFieldNames, name: string) =>
    introspection[root].includes(name) ||
    index.candidates(name).some((table) => rootFieldNames(table)[root].includes(name))
  const hasType = (name: string) => isReservedType(name) || isGeneratedType(name, tables, generated)
  const looked = changed && [...changed].map((key) => tables.get(key)).filter((table) => table !== undefined)
  if (looked?.every((table) => isAloneWithItsNames(table, index))) return { has, hasType, losers: new Set() }
  return { has, hasType, ...findConflicts(tables) }
}

function isAloneWithItsNames(table: TableModel, index: RootFieldIndex): boolean {
  const { graphqlName } = table
  if (graphqlName === null) return true
  if (isReservedType(graphqlName) || index.isShared(graphqlName)) return false
  const names = rootFieldNames(table)
  return roots.every((root) => {
    const isOthers = (name: string) =>
      introspection[root].includes(name) ||
      index.candidates(name).some((other) => other !== table && rootFieldNames(other)[root].includes(name))
    return new Set(names[root]).size === names[root].length && !names[root].some(isOthers)
  })
}

function findConflicts(tables: ReadonlyMap<string, TableModel>): Pick<TableRootFields, 'losers' | 'conflicts'> {
  const losers = new Map<string, TableModel>()
  const repeated = { query: new Set<string>(), mutation: new Set<string>() }
  const taken = { query: new Set(introspection.query), mutation: new Set(introspection.mutation) }
  const types = { taken: new Set<string>(), repeated: new Set<string>() }
  for (const [key, table] of tables) {
    const names = rootFieldNames(table)
    const type = table.graphqlName
    if (type !== null && (types.taken.has(type) || isReservedType(type))) {
      types.repeated.add(type)
      losers.set(key, table)
    }
    if (type !== null) types.taken.add(type)
    for (const root of roots) {
      for (const name of names[root]) {
        if (taken[root].has(name)) {
          repeated[root].add(name)
          losers.set(key, table)
        }
        taken[root].add(name)
      }
    }
  }
  if (losers.size === 0) return { losers: new Set() }
  const objects = new Set([...losers.values()].map(({ name }) => objectKey({ kind: 'table', table: name })))
  const [type] = [...types.repeated].sort(compareText)
  const message = duplicated(repeated) ?? conflictingDefinitions(type!)
  return { losers: new Set(losers.keys()), conflicts: { objects, message } }
}

const roots = ['query', 'mutation'] as const

/** The error about names that are given twice; null when there are none. */
function duplicated(names: Readonly<Record<keyof RootFieldNames, Iterable<string>>>): string | null {
  for (const root of roots) {
    const list = [...names[root]].sort(compareText)
    if (list.length > 0) return `following ${root} root fields are duplicated: ${list.join(', ')}`
  }
  return null
}

/** Names that an object of a slice claims. */
export interface ClaimedNames extends RootFieldNames {
  readonly types: readonly string[]
}

/** An object's claim, and the names of it that tables or earlier slices had when it was made. */
export interface NameClaim {
  readonly names: ClaimedNames
  readonly taken: ClaimedNames
}

/** How a claim of types is refused that others have. */
export interface TypeNamesRefusal {
  readonly code: ErrorCode
  message(names: readonly string[]): string
}

const kinds = [...roots, 'types'] as const

const noNames = () => ({ query: new Set<string>(), mutation: new Set<string>(), types: new Set<string>() })

/** Who has which root field or type, beyond the tables: slices claim theirs one after another. */
export class NameLedger {
  readonly #tables: TableRootFields
  readonly #earlier = noNames()
  #own = noNames()

  constructor(tables: TableRootFields) {
    this.#tables = tables
  }

  /** What tables and earlier slices have of these names. */
  taken(names: ClaimedNames): ClaimedNames {
    const ofTables = (kind: keyof ClaimedNames, name: string) =>
      kind === 'types' ? this.#tables.hasType(name) : this.#tables.has(kind, name)
    const of = (kind: keyof ClaimedNames) =>
      names[kind].filter((name) => ofTables(kind, name) || this.#earlier[kind].has(name))
    return { query: of('query'), mutation: of('mutation'), types: of('types') }
  }

  /** Gives the names to an object of the slice at hand; the error when somebody has one of them. */
  claim(names: ClaimedNames, refusal: TypeNamesRefusal | null = null): string | null {
    const outside = this.taken(names)
    const of = (kind: keyof ClaimedNames) => [
      ...outside[kind],
      ...names[kind].filter((name) => this.#own[kind].has(name)),
    ]
    const types = [...new Set(of('types'))].sort(compareText)
    const error = duplicated({ query: of('query'), mutation: of('mutation') })
    if (error !== null) return error
    if (types.length > 0) return refusal?.message(types) ?? conflictingDefinitions(types[0]!)
    for (const kind of kinds) for (const name of names[kind]) this.#own[kind].add(name)
    return null
  }

  /** The slice at hand is done: what comes now is another's. */
  next(): void {
    for (const kind of kinds) for (const name of this.#own[kind]) this.#earlier[kind].add(name)
    this.#own = noNames()
  }
}
