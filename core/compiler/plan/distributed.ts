// Changes of tables whose rows are on several machines.

import type { PgType } from '../../catalog/types.ts'
import type { Condition } from './plan.ts'

/** A table whose rows are on several machines. */
export interface DistributedTable {
  /** The column whose value decides where a row is; null: no column does. */
  readonly column: string | null
  /** All columns of the table. */
  readonly columns: ReadonlyMap<string, { readonly type: PgType }>
}

/** Whether a condition reads other rows than the current one; fragments of plugins may. */
export function readsOtherRows(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.some(readsOtherRows)
    case 'not':
    case 'rooted':
      return readsOtherRows(condition.of)
    case 'related':
    case 'exists':
    case 'aggregate':
    case 'sql':
      return true
    default:
      return false
  }
}
