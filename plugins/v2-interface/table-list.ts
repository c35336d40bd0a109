// The list of the database's tables with their sizes, a page at a time.

import { nameKey, Type } from '../../sdk/index.ts'
import { type OperationContext, TableName } from '../../sdk/metadata.ts'
import { mostTables } from './tuning.ts'
import { isOfUsers, ownSchemas, relationKind, relationKinds } from './user-objects.ts'

/** The arguments by which a list is chosen. */
export const chosen = {
  /** Each table's kind, size and state beside its name. */
  details: Type.Optional(Type.Boolean()),
  schemas: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
  /** A part of `schema.name`, in any case. */
  search: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostTables })),
  /** The last table of the page before. */
  after: Type.Optional(TableName),
}

const Chosen = Type.Object(chosen)

type Chosen = typeof Chosen.static

const Name = { schema: Type.String(), name: Type.String() }

export const DetailedTable = Type.Object(
  {
    ...Name,
    kind: Type.Union(relationKinds.map((kind) => Type.Literal(kind))),
    is_tracked: Type.Boolean(),
    description: Type.Union([Type.String(), Type.Null()]),
    estimated_rows: Type.Union([Type.Integer(), Type.Null()], {
      description: 'by the statistics of PostgreSQL; null: it has none yet',
    }),
    bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'with indexes; null for views and foreign tables',
    }),
    partition_of: Type.Union([Type.Object(Name), Type.Null()]),
  },
  { title: 'DetailedTable' },
)

/** A partitioned table has the rows and the bytes of its partitions. */
const ofPartitions = (sum: string) =>
  `(select ${sum} from pg_catalog.pg_partition_tree(c.oid) t join pg_catalog.pg_class l on l.oid = t.relid where t.isleaf)`

const details = `,
  ${relationKind('c')} as kind,
  pg_catalog.obj_description(c.oid, 'pg_class') as description,
  (case when c.relkind in ('v', 'f') then null
    when c.relkind = 'p' then ${ofPartitions('sum(greatest(l.reltuples, 0))')}
    when c.reltuples < 0 then null else c.reltuples end)::float8 as estimated_rows,
  (case when c.relkind in ('v', 'f') then null
    when c.relkind = 'p' then ${ofPartitions('sum(pg_catalog.pg_total_relation_size(l.oid))')}
    else pg_catalog.pg_total_relation_size(c.oid) end)::float8 as bytes,
  (select pg_catalog.json_build_object('schema', pn.nspname, 'name', p.relname)
    from pg_catalog.pg_inherits i join pg_catalog.pg_class p on p.oid = i.inhparent
    join pg_catalog.pg_namespace pn on pn.oid = p.relnamespace
    where c.relispartition and i.inhrelid = c.oid) as partition_of`

const listOf = (isDetailed: boolean) => `
  select n.nspname as schema, c.relname as name${isDetailed ? details : ''}
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${isOfUsers('pg_class', 'c')}
    and ($2::text[] is null or n.nspname = any ($2))
    and ($3::text is null or pg_catalog.strpos(pg_catalog.lower(n.nspname || '.' || c.relname), pg_catalog.lower($3)) > 0)
    and ($4::name is null or (n.nspname, c.relname) > ($4::name, $5::name))
  order by 1, 2 limit $6`

interface ListedTable {
  readonly schema: string
  readonly name: string
}

/** The tables and views that were chosen, by schema and name. */
export async function listTables(
  { transaction, dialect, metadata }: Pick<OperationContext, 'transaction' | 'dialect' | 'metadata'>,
  { details: isDetailed = false, schemas, search, limit, after }: Partial<Chosen>,
): Promise<readonly object[]> {
  const values = [
    ownSchemas({ dialect }),
    schemas ?? null,
    search ?? null,
    after?.schema ?? null,
    after?.name ?? null,
    limit ?? null,
  ]
  const rows = await transaction.rows<Record<string, unknown> & ListedTable>(listOf(isDetailed), values)
  if (!isDetailed) return rows
  const tracked = new Set((metadata.tables ?? []).map(({ table }) => nameKey(table)))
  return rows.map(({ schema, name, kind, ...rest }) => {
    return { schema, name, kind, is_tracked: tracked.has(nameKey({ schema, name })), ...rest }
  })
}
