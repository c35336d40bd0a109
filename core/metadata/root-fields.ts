// The names of a table's root fields. Which of them a role gets is decided where its schema is made; here all that any
// role could get count, since no two tables may claim the same name.

import { compareText } from '../names.ts'
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

interface RootFieldNames {
  readonly query: readonly string[]
  readonly mutation: readonly string[]
}

const namesByTable = new WeakMap<TableModel, RootFieldNames>()

function rootFieldNames(table: TableModel): RootFieldNames {
  const known = namesByTable.get(table)
  if (known) return known
  const { graphqlName, configuration } = table
  const keys = graphqlName === null ? [] : rootFieldKeysOf(table)
  const name = (key: RootFieldKey) => rootFieldName(graphqlName!, configuration, key)
  const isQuery = (key: RootFieldKey) => key.startsWith('select')
  const names = {
    query: keys.filter(isQuery).map(name),
    mutation: keys.filter((key) => !isQuery(key)).map(name),
  }
  namesByTable.set(table, names)
  return names
}

/** Tables whose root fields are taken by tables before them, and the error that says so. */
export interface RootFieldConflicts {
  readonly tables: ReadonlySet<string>
  readonly message: string
}

/** Looks for root fields that two tables give; `tables` come in the order in which they win. */
export function findRootFieldConflicts(tables: ReadonlyMap<string, TableModel>): RootFieldConflicts | null {
  const losers = new Set<string>()
  const repeatedOf = (root: keyof RootFieldNames): Set<string> => {
    const taken = new Set<string>()
    const repeated = new Set<string>()
    for (const [key, table] of tables) {
      for (const name of rootFieldNames(table)[root]) {
        if (taken.has(name)) {
          repeated.add(name)
          losers.add(key)
        }
        taken.add(name)
      }
    }
    return repeated
  }
  const repeated = { query: repeatedOf('query'), mutation: repeatedOf('mutation') }
  if (losers.size === 0) return null
  const root = repeated.query.size > 0 ? 'query' : 'mutation'
  const names = [...repeated[root]].sort(compareText).join(', ')
  return { tables: losers, message: `following ${root} root fields are duplicated: ${names}` }
}
