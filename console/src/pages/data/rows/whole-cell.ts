// Reading one cell whole, however large it is.

import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { exchange } from '../../../server/operations.ts'
import { keyCondition } from './save.ts'
import type { Row } from './staged.ts'

interface Asked {
  readonly table: TableName
  readonly key: Row
  readonly column: { readonly name: string; readonly type: string }
  /** The types of the table's columns. */
  readonly types: ReadonlyMap<string, string>
  readonly as: Identity
  readonly signal?: AbortSignal
}

/** Reads a cell as text: JSON with all its digits, others as they are. Throws `RequestFailed`. */
export async function readCell({ table, key, column, types, as, signal }: Asked): Promise<string | null> {
  const args = { table, columns: [column.name], where: keyCondition(key, types), limit: 1 }
  const { text } = await exchange('select', args, { as, signal })
  return cellOf(text, column)
}

/** The cell of an answer with one row of one column. */
function cellOf(answer: string, { name, type }: Asked['column']): string | null {
  const key = JSON.stringify(name)
  const at = answer.indexOf(key)
  if (at < 0) throw new Error('the row is gone')
  const value = answer.slice(answer.indexOf(':', at + key.length) + 1, answer.lastIndexOf('}')).trim()
  if (value === 'null') return null
  return value.startsWith('"') && type !== 'json' && type !== 'jsonb' ? JSON.parse(value) : value
}
