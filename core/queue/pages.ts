// Pages of the rows of queues as JSON that keeps every digit of every number.

import type { Transaction } from '../database/transaction.ts'
import { badRequest } from '../errors/errors.ts'
import { parseJson } from '../json/json.ts'
import { mostPageBytes } from './tuning.ts'

/** A query for a page, and its limits. */
export interface PageQuery {
  /** A query with its first values bound as `$1`, ...; `from` and `order` are constant SQL of the caller. */
  readonly from: string
  readonly order: string
  readonly values: readonly unknown[]
  readonly limit: number | null
  readonly offset: number
  /** Whether to count all rows, including those outside the page. */
  readonly counts: boolean
  /** Absent: `mostPageBytes`. */
  readonly mostBytes?: number
}

/** The rows of a page, and their total. */
export interface Page {
  readonly rows: unknown
  /** Null when no count was requested. */
  readonly count: number | null
}

/** Reads a page; refuses one that is too large. */
export async function readPage(transaction: Pick<Transaction, 'rows'>, query: PageQuery): Promise<Page> {
  const { from, order, values, limit, offset, counts, mostBytes = mostPageBytes } = query
  const [limitAt, offsetAt] = [values.length + 1, values.length + 2]
  const [row] = await transaction.rows<{ rows: string | null; bytes: number | null; count: number | null }>(
    `select page.*, ${counts ? `(select count(*)::int from (${from}) c)` : 'null::int'} as count
     from (
       select string_agg(entry, ',') filter (where bytes <= ${mostBytes}) as rows, max(bytes)::float8 as bytes
       from (
         select entry, sum(octet_length(entry)) over (rows unbounded preceding) as bytes
         from (
           select row_to_json(p)::text as entry from (
             ${from} order by ${order} limit $${limitAt} offset $${offsetAt}) p offset 0) e) s) page`,
    [...values, limit, offset],
  )
  if ((row?.bytes ?? 0) > mostBytes) {
    throw badRequest('not-supported', `the entries have more than ${mostBytes} bytes together: ask for fewer at once`)
  }
  return { rows: parseJson(`[${row?.rows ?? ''}]`, 'lossless'), count: row?.count ?? null }
}
