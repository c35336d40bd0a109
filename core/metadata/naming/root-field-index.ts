// Tables by what the names of their root fields are made of, so that those of thousands need not be listed to find one.

import { nearestNames } from '../../errors/nearest.ts'
import type { TableModel } from '../document/model.ts'
import { customRootNames } from '../document/table-configuration.ts'
import { basesOfRootField } from './root-field-names.ts'

/** Of how many tables the root fields are looked at for one that resembles a name, if there are more than a few. */
const mostNear = 10
const fewTables = 100

export type Tables = ReadonlyMap<string, TableModel>

export class RootFieldIndex {
  readonly #byGraphQLName = new Map<string, TableModel>()
  readonly #shared = new Set<string>()
  /** By each name that is configured: one table may have it on the query root, another on the mutation root. */
  readonly #configured = new Map<string, TableModel[]>()

  constructor(tables: Tables) {
    for (const table of tables.values()) {
      const { graphqlName, configuration } = table
      if (graphqlName === null) continue
      if (this.#byGraphQLName.has(graphqlName)) this.#shared.add(graphqlName)
      else this.#byGraphQLName.set(graphqlName, table)
      for (const name of customRootNames(configuration)) {
        this.#configured.set(name, [...(this.#configured.get(name) ?? []), table])
      }
    }
  }

  /** Whether a table has that GraphQL name. */
  has(graphqlName: string): boolean {
    return this.#byGraphQLName.has(graphqlName)
  }

  /** The first table of that GraphQL name. */
  table(graphqlName: string): TableModel | undefined {
    return this.#byGraphQLName.get(graphqlName)
  }

  /** Whether several tables have that GraphQL name. */
  isShared(graphqlName: string): boolean {
    return this.#shared.has(graphqlName)
  }

  /**
   * Every table that may give a root field of that name; `bases` are the GraphQL names of tables that it may be
   * generated from.
   */
  candidates(name: string, bases: readonly string[] = basesOfRootField(name)): TableModel[] {
    const generated = bases.map((base) => this.#byGraphQLName.get(base))
    return [...(this.#configured.get(name) ?? []), ...generated].filter((table) => table !== undefined)
  }

  /** Tables whose GraphQL names, or whose configured names of root fields, resemble one of these; all when they are few. */
  near(names: readonly string[]): ReadonlySet<TableModel> {
    if (this.#byGraphQLName.size <= fewTables) return new Set(this.#byGraphQLName.values())
    const near = new Set<TableModel>()
    for (const name of new Set(names)) {
      for (const found of nearestNames(name, this.#byGraphQLName.keys()).slice(0, mostNear)) {
        near.add(this.#byGraphQLName.get(found)!)
      }
      for (const found of nearestNames(name, this.#configured.keys()).slice(0, mostNear)) {
        for (const table of this.#configured.get(found)!) near.add(table)
      }
    }
    return near
  }
}

const indexes = new WeakMap<Tables, RootFieldIndex>()

/** The index of these tables, made once. */
export function rootFieldIndex(tables: Tables): RootFieldIndex {
  let index = indexes.get(tables)
  if (!index) {
    index = new RootFieldIndex(tables)
    indexes.set(tables, index)
  }
  return index
}
