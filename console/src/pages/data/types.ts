// Types of columns by the names that rows have.

import type { TableInfo } from './table-info.ts'

const shortNames: Readonly<Record<string, string>> = { boolean: 'bool', integer: 'int4', smallint: 'int2' }

/** The types that are treated apart, by the names that the rows have. */
export const typesOf = ({ columns }: Pick<TableInfo, 'columns'>): ReadonlyMap<string, string> =>
  new Map(columns.map(({ name, type }) => [name, shortNames[type] ?? type]))
