// The names of a table's root fields. Which of them a role gets is decided where its schema is made; here all that any
// role could get count, since no two tables may claim the same name.

import { type RootFieldKey, rootFieldKeys, type TableConfiguration } from './document.ts'
import type { TableModel } from './model.ts'

const defaultNames: Readonly<Record<RootFieldKey, (base: string) => string>> = {
  select: (base) => base,
  select_by_pk: (base) => `${base}_by_pk`,
  select_aggregate: (base) => `${base}_aggregate`,
  insert: (base) => `insert_${base}`,
  insert_one: (base) => `insert_${base}_one`,
  update: (base) => `update_${base}`,
  update_by_pk: (base) => `update_${base}_by_pk`,
  delete: (base) => `delete_${base}`,
  delete_by_pk: (base) => `delete_${base}_by_pk`,
}

/** The name of one root field: the configured one, or the default made from the table's GraphQL name. */
export const rootFieldName = (base: string, configuration: TableConfiguration, key: RootFieldKey): string =>
  configuration.custom_root_fields[key] ?? defaultNames[key](base)

const isQuery = (key: RootFieldKey): boolean => key.startsWith('select')

/** The root fields that a table gives to an administrator. */
function rootFieldsOf({ catalog, primaryKey }: TableModel): RootFieldKey[] {
  const given: Record<string, boolean> = {
    insert: catalog.insertable,
    update: catalog.updatable,
    delete: catalog.deletable,
    select: true,
  }
  return rootFieldKeys.filter((key) => given[key.split('_')[0]!] && (primaryKey !== null || !key.endsWith('_by_pk')))
}

/** Tables whose root fields are taken by tables before them, and the error that says so. */
export interface RootFieldConflicts {
  readonly tables: ReadonlySet<string>
  readonly message: string
}

/** Looks for root fields that two tables give; `tables` come in the order in which they win. */
export function findRootFieldConflicts(tables: Iterable<readonly [string, TableModel]>): RootFieldConflicts | null {
  const taken = { query: new Set<string>(), mutation: new Set<string>() }
  const repeated = { query: new Set<string>(), mutation: new Set<string>() }
  const losers = new Set<string>()
  for (const [key, table] of tables) {
    if (table.graphqlName === null) continue
    for (const field of rootFieldsOf(table)) {
      const root = isQuery(field) ? 'query' : 'mutation'
      const name = rootFieldName(table.graphqlName, table.configuration, field)
      if (taken[root].has(name)) {
        repeated[root].add(name)
        losers.add(key)
      }
      taken[root].add(name)
    }
  }
  if (losers.size === 0) return null
  const root = repeated.query.size > 0 ? 'query' : 'mutation'
  const names = [...repeated[root]].sort().join(', ')
  return { tables: losers, message: `following ${root} root fields are duplicated: ${names}` }
}
