// A new row with the values of another one.

import type { Identity } from '../../../requests/identity.ts'
import { run } from '../../../server/operations.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import type { BrowsedRows, GridRow } from './model.ts'
import { keyCondition } from './save.ts'
import type { Row } from './staged.ts'
import { readCell } from './whole-cell.ts'

/** Bytes of cells that are read together; longer ones are read alone. */
const readTogether = 1_000_000

/** Reads a row whole, without its key and without columns that cannot be written. Throws `RequestFailed`. */
export async function copyOf(info: TableInfo, { key, cells, changed, state }: GridRow, as: Identity): Promise<Row> {
  const types = typesOf(info)
  const names = info.columns.flatMap(({ name, insertable }) =>
    insertable && !info.primary_key?.includes(name) ? [name] : [],
  )
  if (state === 'inserted')
    return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(cells, name) ? [[name, cells[name]!]] : [])))
  const { columns, rows, truncated } = await run<BrowsedRows>(
    'browse_rows',
    {
      ...{ table: info.name, where: keyCondition(key, types), limit: 1, preview_bytes: readTogether },
      ...(as.role === null && { columns: names }),
    },
    { as },
  )
  const read = new Map(columns.map(({ name }, at) => [name, rows[0]?.[at] ?? null]))
  for (const { column } of truncated) {
    const type = columns.find(({ name }) => name === column)?.type ?? ''
    read.set(column, await readCell({ table: info.name, key, column: { name: column, type }, types, as }))
  }
  // Edits that are not saved yet are copied as they are shown.
  const cellOf = (name: string) => (changed.has(name) ? cells[name]! : read.get(name)!)
  return Object.fromEntries(names.flatMap((name) => (read.has(name) ? [[name, cellOf(name)]] : [])))
}
