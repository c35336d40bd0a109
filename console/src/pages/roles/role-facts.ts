// Facts about roles in the metadata.

import { tableName } from '../../server/names.ts'
import type { Metadata, TableEntry } from '../../server/queries.ts'
import { pathOf } from '../../shell/paths.ts'

interface InheritedRole {
  readonly role_name: string
  readonly role_set: readonly string[]
}

/** The roles that a role inherits from; null: it does not inherit. */
export const parentsOf = ({ metadata }: Metadata, role: string): readonly string[] | null =>
  ((metadata['inherited_roles'] ?? []) as readonly InheritedRole[]).find(({ role_name }) => role_name === role)
    ?.role_set ?? null

/** The path of a table's permissions. */
export const permissionsOf = (table: TableEntry['table']): string => {
  const { schema, name } = tableName(table)
  return pathOf('data', schema, name, 'permissions')
}
