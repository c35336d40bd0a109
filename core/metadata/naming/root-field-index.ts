// An index of tables by the names of their root fields. It avoids a pass over thousands of tables to find one field.

import { nearestNames } from '../../errors/nearest.ts'
import type { TableModel } from '../document/model.ts'
import { customRootNames } from '../document/table-configuration.ts'
import { fewTables, mostNear } from '../tuning.ts'
import { basesOfRootField } from './root-field-names.ts'

export type Tables = ReadonlyMap<string, TableModel>

export class RootFieldIndex {
  readonly #byGraphQLName = new Map<string, TableModel>()
  readonly #shared = new Set<string>()
  /** By configured name. Two tables may share a name, one on the query root and one on the mutation root. */
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

  /** Whether a table has this GraphQL name. */
  has(graphqlName: string): boolean {
    return this.#byGraphQLName.has(graphqlName)
  }

  /** The first table with this GraphQL name. */
  table(graphqlName: string): TableModel | undefined {
    return this.#byGraphQLName.get(graphqlName)
  }

  /** Whether several tables have this GraphQL name. */
  isShared(graphqlName: string): boolean {
    return this.#shared.has(graphqlName)
  }

  /**
   * Every table that may provide a root field of this name; `bases` are the table names that it may be generated from.
   */
  candidates(name: string, bases: readonly string[] = basesOfRootField(name)): TableModel[] {
    const generated = bases.map((base) => this.#byGraphQLName.get(base))
    return [...(this.#configured.get(name) ?? []), ...generated].filter((table) => table !== undefined)
  }

  /** Tables with a GraphQL name or a configured root field name close to one of these; all tables if there are few. */
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

/** The index of these tables; built once. */
export function rootFieldIndex(tables: Tables): RootFieldIndex {
  let index = indexes.get(tables)
  if (!index) {
    index = new RootFieldIndex(tables)
    indexes.set(tables, index)
  }
  return index
}
