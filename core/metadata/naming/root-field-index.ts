// An index of tables by the names of their root fields. It avoids a pass over thousands of tables to find one field.

import { nearestNames } from '../../errors/nearest.ts'
import type { TableModel } from '../document/model.ts'
import { customRootNames } from '../document/table-configuration.ts'
import { fewTables, mostNear } from '../tuning.ts'
import { pascalCase } from './casing.ts'
import { basesOfRootField } from './root-field-names.ts'
import { type SourceNaming, withoutAffixes } from './source-naming.ts'

export type Tables = ReadonlyMap<string, TableModel>

const namedLike = new WeakMap<Tables, Tables>()

/** Declares that tables have the keys, names and columns of others, which are those of an earlier stage. */
export function shareNames(tables: Tables, earlier: Tables): void {
  if (tables !== earlier) namedLike.set(tables, namedTables(earlier))
}

/** Tables of the same keys, names and columns. Generations that differ only in other respects share them. */
export const namedTables = (tables: Tables): Tables => namedLike.get(tables) ?? tables

/** The keys of tables, by their names in GraphQL. */
interface TableNames {
  /** The first table of each GraphQL name. */
  readonly byGraphQLName: ReadonlyMap<string, string>
  /** GraphQL names, by the same in Pascal case. */
  readonly byPascalName: ReadonlyMap<string, string>
  /** GraphQL names of several tables. */
  readonly shared: ReadonlySet<string>
  /** By configured name. Two tables may share a name, one on the query root and one on the mutation root. */
  readonly configured: ReadonlyMap<string, readonly string[]>
}

const namesByTables = new WeakMap<Tables, TableNames>()

function namesOf(tables: Tables): TableNames {
  const names = namesByTables.get(tables) ?? collectNames(tables)
  namesByTables.set(tables, names)
  return names
}

function collectNames(tables: Tables): TableNames {
  const byGraphQLName = new Map<string, string>()
  const byPascalName = new Map<string, string>()
  const shared = new Set<string>()
  const configured = new Map<string, string[]>()
  for (const [key, { graphqlName, configuration, isCamel }] of tables) {
    if (graphqlName === null) continue
    if (isCamel) byPascalName.set(pascalCase(graphqlName), graphqlName)
    if (byGraphQLName.has(graphqlName)) shared.add(graphqlName)
    else byGraphQLName.set(graphqlName, key)
    for (const name of customRootNames(configuration)) configured.set(name, [...(configured.get(name) ?? []), key])
  }
  return { byGraphQLName, byPascalName, shared, configured }
}

export class RootFieldIndex {
  readonly #tables: Tables
  readonly #names: TableNames

  constructor(tables: Tables) {
    this.#tables = tables
    this.#names = namesOf(namedTables(tables))
  }

  /** Whether a table has this GraphQL name. */
  has(graphqlName: string): boolean {
    return this.#names.byGraphQLName.has(graphqlName)
  }

  /** The first table with this GraphQL name. */
  table(graphqlName: string): TableModel | undefined {
    const key = this.#names.byGraphQLName.get(graphqlName)
    return key === undefined ? undefined : this.#tables.get(key)
  }

  /** The first table whose rows have the type of this name. */
  ofType(type: string, { types, isCamel }: Pick<SourceNaming, 'types' | 'isCamel'>): TableModel | undefined {
    const own = withoutAffixes(type, types)
    if (own === null) return undefined
    return this.table(isCamel ? (this.#names.byPascalName.get(own) ?? '') : own)
  }

  /** Whether several tables have this GraphQL name. */
  isShared(graphqlName: string): boolean {
    return this.#names.shared.has(graphqlName)
  }

  #configured(name: string): (TableModel | undefined)[] {
    return (this.#names.configured.get(name) ?? []).map((key) => this.#tables.get(key))
  }

  /**
   * Every table that may provide a root field of this name; `bases` are the table names that it may be generated from.
   */
  candidates(name: string, bases: readonly string[] = basesOfRootField(name)): TableModel[] {
    const generated = bases.map((base) => this.table(base))
    return [...this.#configured(name), ...generated].filter((table) => table !== undefined)
  }

  /** Tables with a GraphQL name or a configured root field name close to one of these; all tables if there are few. */
  near(names: readonly string[]): ReadonlySet<TableModel> {
    const { byGraphQLName, configured } = this.#names
    const nearest = (name: string, among: Iterable<string>) => nearestNames(name, among).slice(0, mostNear)
    const near =
      byGraphQLName.size <= fewTables
        ? [...byGraphQLName.keys()].map((name) => this.table(name))
        : [...new Set(names)].flatMap((name) => [
            ...nearest(name, byGraphQLName.keys()).map((found) => this.table(found)),
            ...nearest(name, configured.keys()).flatMap((found) => this.#configured(found)),
          ])
    return new Set(near.filter((table) => table !== undefined))
  }
}

const indexes = new WeakMap<Tables, RootFieldIndex>()

/** The index of these tables; built once. */
export function rootFieldIndex(tables: Tables): RootFieldIndex {
  let index = indexes.get(tables)
  if (!index) {
    index = new RootFieldIndex(tables)
    indexes.set(tables, index)
  }
  return index
}
