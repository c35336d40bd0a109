// Columns whose values are chosen among the rows of another table.

import type { TableName } from '../../../server/names.ts'
import type { TableInfo } from '../table-info.ts'

/** A foreign key of one column. */
export interface Reference {
  readonly to: TableName
  readonly column: string
}

/** The foreign keys of one column, by it. */
export const referencesOf = ({ foreign_keys }: TableInfo): ReadonlyMap<string, Reference> =>
  new Map(
    Object.values(foreign_keys).flatMap(({ foreign_table: to, column_mapping }) => {
      const pairs = Object.entries(column_mapping)
      return pairs.length === 1 ? [[pairs[0]![0], { to, column: pairs[0]![1] }]] : []
    }),
  )
