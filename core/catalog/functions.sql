-- The named functions with their input arguments; aggregates, window functions and procedures are left out. $1:
-- schemas, $2: names, in pairs.
select
  p.oid,
  n.nspname::text as schema,
  p.proname::text as name,
  (
    select d.description
    from pg_catalog.pg_description d
    where d.objoid = p.oid and d.classoid = 'pg_catalog.pg_proc'::regclass and d.objsubid = 0
  ) as comment,
  p.provolatile = 'v' as volatile,
  p.provariadic <> 0 as variadic,
  p.proretset as "returnsSet",
  pg_catalog.json_build_array(t.oid::int8, tn.nspname, t.typname, t.typtype) as "returnType",
  c.relkind in ('r', 'p', 'v', 'm', 'f') as "returnsTable",
  p.pronargdefaults as defaults,
  (
    select pg_catalog.json_agg(
      pg_catalog.json_build_array(
        nullif(p.proargnames[a.position], ''), at.oid::int8, an.nspname, at.typname, at.typtype
      )
      order by a.position
    )
    from pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as a (type, position)
    join pg_catalog.pg_type at on at.oid = a.type
    join pg_catalog.pg_namespace an on an.oid = at.typnamespace
    where p.proargmodes is null or p.proargmodes[a.position] in ('i', 'b', 'v')
  ) as arguments
from (select distinct schema, name from unnest($1::text[], $2::text[]) as pair (schema, name)) as pair
join pg_catalog.pg_namespace n on n.nspname = pair.schema
join pg_catalog.pg_proc p on p.pronamespace = n.oid and p.proname = pair.name
join pg_catalog.pg_type t on t.oid = p.prorettype
join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
left join pg_catalog.pg_class c on c.oid = t.typrelid
where p.prokind = 'f'
order by p.oid
