// The names of a table's root fields. Which of them a role gets is decided where its schema is made; here all that any
// role could get count, since no two tables may claim the same name.

import { compareText } from '../names.ts'
import { type RootFieldKey, rootFieldKeys } from './document.ts'
import type { TableModel } from './model.ts'
import { objectKey } from './objects.ts'
import { conflictingDefinitions, isReservedType } from './type-names.ts'

/** What stands around a table's GraphQL name. */
const patterns: Readonly<Record<RootFieldKey, readonly [prefix: string, suffix: string]>> = {
  select: ['', ''],
  select_by_pk: ['', '_by_pk'],
  select_aggregate: ['', '_aggregate'],
  insert: ['insert_', ''],
  insert_one: ['insert_', '_one'],
  update: ['update_', ''],
  update_by_pk: ['update_', '_by_pk'],
  delete: ['delete_', ''],
  delete_by_pk: ['delete_', '_by_pk'],
}

/** The name that a root field has when none is configured, made from the table's GraphQL name. */
export function generatedRootFieldName(base: string, key: RootFieldKey): string {
  const [prefix, suffix] = patterns[key]
  return `${prefix}${base}${suffix}`
}

/** The GraphQL names of tables for which this would be the generated name of a root field. */
export function basesOfRootField(name: string): string[] {
  const fits = Object.values(patterns).filter(([prefix, suffix]) => name.startsWith(prefix) && name.endsWith(suffix))
  return fits.map(([prefix, suffix]) => name.slice(prefix.length, name.length - suffix.length))
}

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
  const name = (key: RootFieldKey) => configuration.custom_root_fields[key] ?? generatedRootFieldName(graphqlName!, key)
  const isQuery = (key: RootFieldKey) => key.startsWith('select')
  const names = {
    query: keys.filter(isQuery).map(name),
    mutation: keys.filter((key) => !isQuery(key)).map(name),
  }
  namesByTable.set(table, names)
  return names
}

/** Objects whose root fields others have, by `objectKey`, and the error that says so. */
export interface RootFieldConflicts {
  readonly objects: ReadonlySet<string>
  readonly message: string
}

/** Selections that the schema itself answers: a field of that name would take them from every client. */
const introspection: RootFieldNames = { query: ['__schema', '__type', '__typename'], mutation: ['__typename'] }

/** Which root fields tables and introspection give; those of the first of two tables that give the same. */
export interface TableRootFields {
  readonly query: ReadonlySet<string>
  readonly mutation: ReadonlySet<string>
  /** Tables that lose a root field or the name of their type, by `nameKey`. */
  readonly losers: ReadonlySet<string>
  /** Absent: there are none. */
  readonly conflicts?: RootFieldConflicts
}

/**
 * Collects the tables' root fields; `tables` come in the order in which they win. A table whose rows would be of another
 * one's type loses too: other names of root fields don't change the types' names.
 */
export function tableRootFields(tables: ReadonlyMap<string, TableModel>): TableRootFields {
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
  const found = { ...taken, losers: new Set(losers.keys()) }
  if (losers.size === 0) return found
  const objects = new Set([...losers.values()].map(({ name }) => objectKey({ kind: 'table', table: name })))
  const [type] = [...types.repeated].sort(compareText)
  return { ...found, conflicts: { objects, message: duplicated(repeated) ?? conflictingDefinitions(type!) } }
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

/** An object's claim to root fields, and those of them that tables or earlier slices had when it was made. */
export interface RootFieldClaim {
  readonly names: RootFieldNames
  readonly taken: RootFieldNames
}

/** Who has which root field, beyond the tables: slices claim theirs one after another. */
export class RootFieldLedger {
  readonly #tables: TableRootFields
  readonly #earlier = { query: new Set<string>(), mutation: new Set<string>() }
  #own = { query: new Set<string>(), mutation: new Set<string>() }

  constructor(tables: TableRootFields) {
    this.#tables = tables
  }

  /** What tables and earlier slices have of these names. */
  taken(names: RootFieldNames): RootFieldNames {
    const of = (root: keyof RootFieldNames) =>
      names[root].filter((name) => this.#tables[root].has(name) || this.#earlier[root].has(name))
    return { query: of('query'), mutation: of('mutation') }
  }

  /** Gives the names to an object of the slice at hand; the error when somebody has one of them. */
  claim(names: RootFieldNames): string | null {
    const of = (root: keyof RootFieldNames, taken: readonly string[]) => [
      ...taken,
      ...names[root].filter((name) => this.#own[root].has(name)),
    ]
    const outside = this.taken(names)
    const error = duplicated({ query: of('query', outside.query), mutation: of('mutation', outside.mutation) })
    if (error !== null) return error
    for (const root of roots) for (const name of names[root]) this.#own[root].add(name)
    return null
  }

  /** The slice at hand is done: what comes now is another's. */
  next(): void {
    for (const root of roots) for (const name of this.#own[root]) this.#earlier[root].add(name)
    this.#own = { query: new Set(), mutation: new Set() }
  }
}
