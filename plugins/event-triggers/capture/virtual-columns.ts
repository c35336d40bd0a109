// Virtual generated columns: PostgreSQL passes rows to triggers without their values, so the functions compute them.

import { id, join, type Sql, sql, type Transaction, trusted } from '../../../sdk/sql.ts'
import type { RowName } from './row-operations.ts'

export interface VirtualColumn {
  readonly name: string
  /** The expression as PostgreSQL prints it, with unqualified column names. */
  readonly expression: string
}

/** The virtual columns of tables, by table oid. */
export type VirtualColumns = ReadonlyMap<number, readonly VirtualColumn[]>

interface FoundColumn {
  readonly oid: string
  readonly name: string
  readonly expression: string
}

/** Reads the virtual columns of tables; older versions of PostgreSQL have none. */
export async function readVirtualColumns(oids: readonly number[], transaction: Transaction): Promise<VirtualColumns> {
  const rows = await transaction.rows<FoundColumn & Record<string, unknown>>(
    `select a.attrelid::int8::text as oid, a.attname as name, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as expression
     from pg_catalog.pg_attribute a join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = any ($1::int8[]::oid[]) and pg_catalog.to_jsonb(a) ->> 'attgenerated' = 'v' and not a.attisdropped
     order by a.attnum`,
    [oids],
  )
  return Map.groupBy(rows, ({ oid }) => Number(oid))
}

/** Computes the values into the rows; a value whose expression fails stays null. */
export const withVirtualColumns = (columns: readonly VirtualColumn[], rows: readonly RowName[]): Sql =>
  join(
    rows.flatMap((row) =>
      columns.map(
        ({ name, expression }) => sql`
  begin
    ${trusted(row)}.${id(name)} := (select ${trusted(expression)} from (select ${trusted(row)}.*) as base);
  exception when others then
    null;
  end;`,
      ),
    ),
    '',
  )
