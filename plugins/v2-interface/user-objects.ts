// Which objects of a database belong to its users, and the kinds of those that have rows.

import type { OperationContext } from '../../sdk/metadata.ts'

/** Schemas of the server and of the system. */
export const ownSchemas = ({ dialect }: Pick<OperationContext, 'dialect'>): readonly string[] => [
  ...['information_schema', 'trellis', 'trellis_system'],
  ...(dialect.systemSchema === null ? [] : [dialect.systemSchema]),
]

/**
 * Whether an object of a catalog belongs to users: not to the server, to an extension or to the system. The schema's alias
 * is `n`, and `$1` the result of {@link ownSchemas}.
 */
export const isOfUsers = (catalog: 'pg_class' | 'pg_proc', alias: string) => `
  n.nspname !~ '^pg_'
    and n.nspname <> all ($1::text[])
    and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.${catalog}'::regclass and d.objid = ${alias}.oid and d.deptype = 'e'
    )`

/** The kinds of objects that have rows. */
export const relationKinds = ['table', 'partitioned_table', 'view', 'materialized_view', 'foreign_table'] as const

/** The kind of a row of `pg_class` by its alias, one of {@link relationKinds}. */
export const relationKind = (alias: string): string =>
  `case ${alias}.relkind when 'r' then 'table' when 'p' then 'partitioned_table' when 'v' then 'view'
    when 'm' then 'materialized_view' else 'foreign_table' end`
