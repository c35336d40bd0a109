// How many rows there are, for a page of them: estimated, or exactly within a time.

import { badRequest, isAdmin, type Static, Type } from '../../sdk/index.ts'
import type { OperationContext } from '../../sdk/metadata.ts'
import { type Condition, isCancelled } from '../../sdk/sql.ts'
import type { ReadableTable } from './caller.ts'
import { runCount } from './run.ts'

export const ExactWithin = Type.Object(
  { exact_within_ms: Type.Integer({ minimum: 1, maximum: 60_000 }) },
  { additionalProperties: false },
)

export type CountAsked = 'estimate' | Static<typeof ExactWithin>

interface Counted {
  readonly access: ReadableTable
  readonly where: Condition
}

/** A count; null: PostgreSQL has no estimate, or the time was over. */
type RowCount = { readonly value: number; readonly is_exact: boolean } | null

export const countRowsOf = (context: OperationContext, counted: Counted, asked: CountAsked): Promise<RowCount> =>
  asked === 'estimate' ? estimate(context, counted) : exact(context, counted, asked.exact_within_ms)

/** By the statistics of the whole table, which other roles must not learn. */
async function estimate({ session, transaction }: OperationContext, { access, where }: Counted): Promise<RowCount> {
  if (!isAdmin(session) || where.kind !== 'true') {
    const message = 'only administrators get an estimate, and only of all rows; ask for {"exact_within_ms": 500}'
    throw badRequest('not-supported', message, { path: ['count'] })
  }
  const { schema, name } = access.table.name
  const [row] = await transaction.rows<{ rows: number | null }>(
    `select (select case when c.relkind = 'p' then (select sum(greatest(l.reltuples, 0))
          from pg_catalog.pg_partition_tree(c.oid) t join pg_catalog.pg_class l on l.oid = t.relid where t.isleaf)
        when c.relkind in ('r', 'm') and c.reltuples >= 0 then c.reltuples end)::float8 as rows
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2`,
    [schema, name],
  )
  return typeof row?.rows === 'number' ? { value: row.rows, is_exact: false } : null
}

async function exact(context: OperationContext, { access, where }: Counted, millis: number): Promise<RowCount> {
  const { transaction } = context
  const rows = access.select.rows({ where })
  await transaction.rows('savepoint counting')
  await transaction.rows(`set local statement_timeout = ${millis}`)
  try {
    const { count } = await runCount(rows, context)
    await transaction.rows('rollback to savepoint counting')
    return { value: Number(count), is_exact: true }
  } catch (error) {
    if (!isCancelled(error)) throw error
    await transaction.rows('rollback to savepoint counting')
    return null
  }
}
