// Which objects of a database belong to its users.

import type { OperationContext } from '../../sdk/metadata.ts'

/** Schemas of the server and of the system. */
export const ownSchemas = ({ dialect }: Pick<OperationContext, 'dialect'>): readonly string[] => [
  ...['information_schema', 'trellis'],
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
