// Pages of what is in the ledgers, as JSON that keeps every digit of every number.

import { parseJson } from '../../sdk/services.ts'
import type { Transaction } from '../../sdk/sql.ts'

export interface PageQuery {
  /** A query with its first values bound as `$1`, ...; written by the caller alone, as is `order`. */
  readonly from: string
  readonly order: string
  readonly values: readonly unknown[]
  readonly limit: number | null
  readonly offset: number
  /** Whether all rows are counted, those outside the page included. */
  readonly counts: boolean
}

export interface Page {
  readonly rows: unknown
  /** Null when it was not asked for. */
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
