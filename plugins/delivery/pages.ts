// Pages of ledger rows as JSON that keeps every digit of every number.

import { parseJson } from '../../sdk/services.ts'
import type { Transaction } from '../../sdk/sql.ts'

export interface PageQuery {
  /** A query with its first values bound as `$1`, ...; `from` and `order` are constant SQL of the caller. */
  readonly from: string
  readonly order: string
  readonly values: readonly unknown[]
  readonly limit: number | null
  readonly offset: number
  /** Whether to count all rows, including those outside the page. */
  readonly counts: boolean
}

export interface Page {
  readonly rows: unknown
  /** Null when no count was requested. */
  readonly count: number | null
}

/** Reads a page. */
export async function readPage(transaction: Transaction, query: PageQuery): Promise<Page> {
  const { from, order, values, limit, offset, counts } = query
  const [limitAt, offsetAt] = [values.length + 1, values.length + 2]
  const [row] = await transaction.rows<{ rows: string; count: number | null }>(
    `select (select coalesce(json_agg(row_to_json(p)), '[]') from (
         ${from} order by ${order} limit $${limitAt} offset $${offsetAt}) p)::text as rows,
       ${counts ? `(select count(*)::int from (${from}) c)` : 'null::int'} as count`,
    [...values, limit, offset],
  )
  return { rows: parseJson(row?.rows ?? '[]', 'lossless'), count: row?.count ?? null }
}
