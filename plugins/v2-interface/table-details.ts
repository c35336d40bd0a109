// The parts of a table that forms do not need: references to it, checks, indexes, triggers, row level security.

import { Type } from '../../sdk/index.ts'
import { relationKind } from './user-objects.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

const Names = Type.Array(Type.String())

/** The members that `details` adds to the description of a table. */
export const Details = Type.Object({
  kind: Type.String(),
  unique_keys: Type.Record(Type.String(), Names),
  referenced_by: Type.Array(
    Type.Object({
      table: Type.Object({ schema: Type.String(), name: Type.String() }),
      constraint: Type.String(),
      column_mapping: Type.Record(Type.String(), Type.String()),
      on_delete: Type.String(),
    }),
  ),
  check_constraints: Type.Array(Type.Object({ name: Type.String(), definition: Type.String() })),
  defaults: Type.Record(Type.String(), Type.String()),
  enum_values: Type.Record(Type.String(), Names, { description: 'of columns whose type is an enum' }),
  indexes: Type.Array(
    Type.Object({
      name: Type.String(),
      definition: Type.String(),
      columns: Type.Array(Nullable, { description: 'null: an expression' }),
      is_unique: Type.Boolean(),
      is_primary: Type.Boolean(),
      is_valid: Type.Boolean(),
      bytes: Type.Integer(),
      scans: Type.Integer({ description: 'since the statistics of PostgreSQL were reset' }),
    }),
  ),
  triggers: Type.Array(Type.Object({ name: Type.String(), definition: Type.String(), is_enabled: Type.Boolean() })),
  row_level_security: Type.Object({
    is_enabled: Type.Boolean(),
    is_forced: Type.Boolean(),
    policies: Type.Array(
      Type.Object({ name: Type.String(), command: Type.String(), using: Nullable, with_check: Nullable }),
    ),
  }),
})

const actions = `case f.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default'
  when 'r' then 'restrict' else 'no action' end`

/** One table; `$1` is its schema, `$2` its name. */
export const tableDetails = `
  select json_build_object(
    'kind', ${relationKind('c')},
    'unique_keys', (
      select coalesce(json_object_agg(u.conname, (
        select json_agg(a.attname order by k.position)
        from unnest(u.conkey) with ordinality k (number, position), pg_attribute a
        where a.attrelid = c.oid and a.attnum = k.number
      ) order by u.conname), '{}')
      from pg_constraint u where u.conrelid = c.oid and u.contype = 'u'
    ),
    'referenced_by', (
      select coalesce(json_agg(json_build_object(
        'table', json_build_object('schema', tn.nspname, 'name', t.relname),
        'constraint', f.conname,
        'column_mapping', (
          select json_object_agg(a.attname, b.attname)
          from unnest(f.conkey, f.confkey) k (own, other), pg_attribute a, pg_attribute b
          where a.attrelid = t.oid and a.attnum = k.own and b.attrelid = c.oid and b.attnum = k.other
        ),
        'on_delete', ${actions}
      ) order by tn.nspname, t.relname, f.conname), '[]')
      from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_namespace tn on tn.oid = t.relnamespace
      where f.confrelid = c.oid and f.contype = 'f' and f.conparentid = 0
    ),
    'check_constraints', (
      select coalesce(json_agg(json_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid))
        order by k.conname), '[]')
      from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
    ),
    'defaults', (
      select coalesce(json_object_agg(a.attname, pg_get_expr(d.adbin, d.adrelid) order by a.attnum), '{}')
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = c.oid and not a.attisdropped
    ),
    'enum_values', (
      select coalesce(json_object_agg(a.attname, (
        select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid
      ) order by a.attnum), '{}')
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and t.typtype = 'e'
    ),
    'indexes', (
      select coalesce(json_agg(json_build_object(
        'name', x.relname, 'definition', pg_get_indexdef(i.indexrelid),
        'columns', (
          select json_agg(a.attname order by k.position)
          from unnest(i.indkey::int2[]) with ordinality k (number, position)
          left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number and k.number > 0
          where k.position <= i.indnkeyatts
        ),
        'is_unique', i.indisunique,
        'is_primary', i.indisprimary, 'is_valid', i.indisvalid, 'bytes', pg_total_relation_size(i.indexrelid),
        'scans', coalesce(pg_stat_get_numscans(i.indexrelid), 0)
      ) order by x.relname), '[]')
      from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid
    ),
    'triggers', (
      select coalesce(json_agg(json_build_object(
        'name', g.tgname, 'definition', pg_get_triggerdef(g.oid, true), 'is_enabled', g.tgenabled <> 'D'
      ) order by g.tgname), '[]')
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal
    ),
    'row_level_security', json_build_object(
      'is_enabled', c.relrowsecurity, 'is_forced', c.relforcerowsecurity,
      'policies', (
        select coalesce(json_agg(json_build_object(
          'name', p.polname,
          'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
            when 'd' then 'delete' else 'all' end,
          'using', pg_get_expr(p.polqual, p.polrelid), 'with_check', pg_get_expr(p.polwithcheck, p.polrelid)
        ) order by p.polname), '[]')
        from pg_policy p where p.polrelid = c.oid
      )
    )
  ) as details
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = $1 and c.relname = $2`
