// Reading the database: its tables and functions, tracked or not.

import { badRequest, nameText, Type } from '../../sdk/index.ts'
import { operation, SourceName, TableName } from '../../sdk/metadata.ts'
import { Details, tableDetails } from './table-details.ts'
import { chosen, DetailedTable, listTables } from './table-list.ts'
import { isOfUsers, ownSchemas } from './user-objects.ts'

const reading = { access: 'any', editsMetadata: false, onlyReads: true } as const

const Name = Type.Object({ schema: Type.String(), name: Type.String() })

/** Functions without overloads that return rows of a table. */
const functions = `
  select n.nspname as schema, p.proname as name,
    case p.provolatile when 'v' then 'VOLATILE' when 's' then 'STABLE' else 'IMMUTABLE' end as volatility
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.prokind = 'f' and ${isOfUsers('pg_proc', 'p')}
    and exists (
      select from pg_catalog.pg_class c where c.reltype = p.prorettype and c.relkind in ('r', 'p', 'v', 'm', 'f')
    )
    and not exists (
      select from pg_catalog.pg_proc o where o.pronamespace = p.pronamespace and o.proname = p.proname and o.oid <> p.oid
    )
  order by 1, 2`

/** `pg_get_source_tables`. */
export const getSourceTables = operation({
  ...reading,
  type: 'pg_get_source_tables',
  about: {
    summary: 'Lists the tables and views of the database, with their sizes on request.',
    result: Type.Union([Type.Array(Name), Type.Array(DetailedTable)]),
  },
  args: Type.Object({ source: SourceName, ...chosen }),
  handle: (context, args) => listTables(context, args),
})

const Trackables = Type.Object({
  tables: Type.Array(Type.Object({ name: Name })),
  functions: Type.Array(Type.Object({ name: Name, volatility: Type.String() })),
})

/** `pg_get_source_trackables`. */
export const getSourceTrackables = operation({
  ...reading,
  type: 'pg_get_source_trackables',
  about: { summary: 'Lists the tables and functions that can be tracked, or are.', result: Trackables },
  args: Type.Object({ source: SourceName }),
  async handle(context) {
    const { transaction, dialect } = context
    const tables = await listTables(context, {})
    const found = await transaction.rows<{ schema: string; name: string; volatility: string }>(functions, [
      ownSchemas({ dialect }),
    ])
    return {
      tables: tables.map((name) => ({ name })),
      functions: found.map(({ volatility, ...name }) => ({ name, volatility })),
    }
  },
})

/** One table; bits of `pg_relation_is_updatable` and `pg_column_is_updatable`: 4 update, 8 insert, 16 delete. */
const tableInfo = `
  select json_build_object(
    'name', json_build_object('schema', n.nspname, 'name', c.relname),
    'type', case when c.relkind in ('v', 'm') then 'view' else 'table' end,
    'description', obj_description(c.oid, 'pg_class'),
    'columns', (
      select coalesce(json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod),
        'nullable', not a.attnotnull,
        'description', col_description(c.oid, a.attnum),
        'insertable', u.updatable & 8 = 8 and w.writable,
        'updatable', pg_column_is_updatable(c.oid, a.attnum, true) and w.writable
      ) order by a.attnum), '[]')
      from pg_attribute a, lateral (select a.attgenerated = '' and a.attidentity <> 'a' as writable) w
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ),
    'primary_key', (
      select json_agg(a.attname order by k.position)
      from pg_constraint p, unnest(p.conkey) with ordinality k (number, position), pg_attribute a
      where p.conrelid = c.oid and p.contype = 'p' and a.attrelid = c.oid and a.attnum = k.number
    ),
    'foreign_keys', (
      select coalesce(json_object_agg(f.conname, json_build_object(
        'foreign_table', json_build_object('schema', tn.nspname, 'name', t.relname),
        'column_mapping', (
          select json_object_agg(a.attname, b.attname)
          from unnest(f.conkey, f.confkey) k (own, other), pg_attribute a, pg_attribute b
          where a.attrelid = c.oid and a.attnum = k.own and b.attrelid = t.oid and b.attnum = k.other
        )
      ) order by f.conname), '{}')
      from pg_constraint f join pg_class t on t.oid = f.confrelid join pg_namespace tn on tn.oid = t.relnamespace
      where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0
    ),
    'insertable', u.updatable & 8 = 8,
    'updatable', u.updatable & 4 = 4,
    'deletable', u.updatable & 16 = 16
  ) as info
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace,
    lateral (select pg_relation_is_updatable(c.oid, true) as updatable) u
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = $1 and c.relname = $2`

const Nullable = (of: 'text' | 'names') =>
  Type.Union([of === 'text' ? Type.String() : Type.Array(Type.String()), Type.Null()])

const TableInfo = Type.Object({
  name: Name,
  type: Type.Union([Type.Literal('table'), Type.Literal('view')]),
  description: Nullable('text'),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      nullable: Type.Boolean(),
      description: Nullable('text'),
      insertable: Type.Boolean(),
      updatable: Type.Boolean(),
    }),
  ),
  primary_key: Nullable('names'),
  foreign_keys: Type.Record(
    Type.String(),
    Type.Object({ foreign_table: Name, column_mapping: Type.Record(Type.String(), Type.String()) }),
  ),
  insertable: Type.Boolean(),
  updatable: Type.Boolean(),
  deletable: Type.Boolean(),
})

/** `pg_get_table_info`. */
export const getTableInfo = operation({
  ...reading,
  type: 'pg_get_table_info',
  about: {
    summary: 'Describes a table or view of the database, with indexes, checks and triggers on request.',
    result: Type.Union([TableInfo, Type.Intersect([TableInfo, Details])]),
  },
  args: Type.Object(
    { table: TableName, source: SourceName, details: Type.Optional(Type.Boolean()) },
    { missingKey: 'A' },
  ),
  async handle({ transaction }, { table, details = false }) {
    const name = [table.schema, table.name]
    const [row] = await transaction.rows<{ info: object }>(tableInfo, name)
    const [more] = row && details ? await transaction.rows<{ details: object }>(tableDetails, name) : []
    if (row) return { ...row.info, ...more?.details }
    throw badRequest('not-exists', `no such table/view exists in source: "${nameText(table)}"`, { path: ['table'] })
  },
})
