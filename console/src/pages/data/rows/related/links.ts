// The ways from a row to others: relationships of the metadata, and foreign keys that have none.

import { type TableName, tableKey, tableLabel } from '../../../../server/names.ts'
import type { TableEntry } from '../../../../server/queries.ts'
import type { ColumnPair } from '../../column-pair.ts'
import type { Cells } from '../../labels.ts'
import { tableRelationships } from '../../relations/relationships.ts'
import type { TableInfo } from '../../table-info.ts'
import { filterFor } from '../filter.ts'

/** A way from a row to related ones. */
export interface Link {
  /** Its name in addresses. */
  readonly id: string
  readonly title: string
  readonly kind: 'one' | 'many'
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
}

const isSame = (one: Omit<Link, 'id'>, other: Omit<Link, 'id'>): boolean => {
  const textOf = ({ to, columns }: Omit<Link, 'id'>) => tableKey(to) + JSON.stringify([...columns].sort())
  return one.kind === other.kind && textOf(one) === textOf(other)
}

/** All ways from the rows of a table. `entry`: that of the metadata, absent for a table that is not tracked. */
export function linksOf(entry: TableEntry | undefined, info: TableInfo): readonly Link[] {
  const named = (entry ? tableRelationships(entry, info) : []).map<Link>(({ name, kind, to, columns }) => ({
    ...{ id: name, title: name, kind: kind === 'object' ? 'one' : 'many', to, columns },
  }))
  const outwards = Object.entries(info.foreign_keys).map<Link>(([name, { foreign_table: to, column_mapping }]) => ({
    ...{ id: `>${name}`, title: tableLabel(to), kind: 'one', to, columns: Object.entries(column_mapping) },
  }))
  const inwards = info.referenced_by.map<Link>(({ table: to, constraint, column_mapping }) => ({
    ...{ id: `<${tableLabel(to)}.${constraint}`, title: tableLabel(to), kind: 'many', to },
    columns: Object.entries(column_mapping).map(([from, own]) => [own, from]),
  }))
  const others = [...outwards, ...inwards].filter((link) => !named.some((each) => isSame(each, link)))
  return [...named, ...others].sort((one, other) => (one.kind === other.kind ? 0 : one.kind === 'one' ? -1 : 1))
}

/** The ways that begin at one column, by the column. */
export const linksByColumn = (links: readonly Link[]): ReadonlyMap<string, Link> =>
  new Map(
    links.flatMap((link) => (link.kind === 'one' && link.columns.length === 1 ? [[link.columns[0]![0], link]] : [])),
  )

/** The filter of the rows that a row leads to; null: a NULL leads nowhere. */
export function filterOf({ columns }: Link, cells: Cells): string | null {
  const parts = columns.map(([from, to]) => {
    const value = cells.get(from) ?? null
    return value === null ? null : filterFor(to, value)
  })
  return parts.includes(null) ? null : parts.join(' and ')
}
