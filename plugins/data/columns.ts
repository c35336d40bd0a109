// The columns that a request names, or all that its caller may read.

import { within } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import { type Caller, isReadable, type ReadableTable } from './caller.ts'

/** `hint`: advice where a name is a relationship. */
export function readableColumns(
  names: readonly string[] | undefined,
  access: ReadableTable,
  caller: Caller,
  hint: string,
): readonly ColumnModel[] {
  const { table, select } = access
  if (!names) return [...table.columns.values()].filter(({ name }) => isReadable(name, select))
  return within('columns', () => names.map((name, i) => within(i, () => caller.readableColumn(access, name, hint))))
}
