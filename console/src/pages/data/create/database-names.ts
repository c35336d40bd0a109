// The schemas and the types that the database has beside those of PostgreSQL.

import { queryOptions } from '@tanstack/react-query'
import { run } from '../../../server/operations.ts'
import type { DatabaseType } from './suggestions.ts'

/** Names that a new table can use. */
export interface DatabaseNames {
  readonly schemas: readonly string[]
  readonly types: readonly DatabaseType[]
}

/** Types of tables and of lists are left out. */
const sql = `
  select 'schema' as kind, nspname::text as name, '[]' as labels from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'trellis', 'trellis_system')
  union all
  select case typtype when 'e' then 'enum' when 'd' then 'domain' when 'c' then 'composite' when 'b' then 'extension' else 'range' end,
    format_type(t.oid, null),
    coalesce((select json_agg(enumlabel order by enumsortorder)::text from pg_enum where enumtypid = t.oid), '[]')
  from pg_type t join pg_namespace n on n.oid = typnamespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'trellis', 'trellis_system')
    and typtype in ('e', 'd', 'c', 'r', 'm', 'b') and typcategory <> 'A'
    and (typrelid = 0 or exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c'))
  order by 1, 2 limit 2000`

/** The schemas and the types of the database. */
export const databaseNamesQuery = queryOptions({
  queryKey: ['database-names'],
  queryFn: async ({ signal }): Promise<DatabaseNames> => {
    const { result } = await run<{ readonly result: readonly (readonly string[])[] | null }>(
      'run_sql',
      { sql, read_only: true },
      { signal },
    )
    const rows = (result ?? []).slice(1)
    return {
      schemas: rows.filter(([kind]) => kind === 'schema').map(([, name = '']) => name),
      types: rows
        .filter(([kind]) => kind !== 'schema')
        .map(([kind = '', name = '', labels = '[]']) => ({ kind, name, labels: JSON.parse(labels) as string[] })),
    }
  },
})
