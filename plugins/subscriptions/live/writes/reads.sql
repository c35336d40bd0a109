-- Whether a relation or function with these names, or anything they read, can give another result without a written row; and
-- the relations that hold the rows.
-- Continues named.sql.
reached (oid) as (
  select c.oid
  from named
  join pg_catalog.pg_class c on c.relnamespace = named.namespace and c.relname = named.name
  union
  select inner_relation.oid
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid
  cross join lateral (
    select called[1]::pg_catalog.oid as oid
    from pg_catalog.pg_rewrite r
    cross join lateral pg_catalog.regexp_matches(r.ev_action::text, ':relid (\d+)', 'g') as called
    where r.ev_class = c.oid and r.ev_type = '1' and c.relkind = 'v'
    union all
    select called[1]::pg_catalog.oid
    from pg_catalog.pg_policy l
    cross join lateral pg_catalog.regexp_matches(l.polqual::text, ':relid (\d+)', 'g') as called
    where l.polrelid = c.oid and c.relrowsecurity
    union all
    select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = c.oid
  ) as inner_relation
),
-- The expressions of these views and policies.
expression (tree) as (
  select r.ev_action::text
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind = 'v'
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  union all
  select l.polqual::text
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relrowsecurity
  join pg_catalog.pg_policy l on l.polrelid = c.oid
)
select not (
  exists (
    select from reached join pg_catalog.pg_class c on c.oid = reached.oid where c.relkind in ('f', 'S')
  )
  -- The tables that a function reads are not known.
  or exists (
    select from named
    join pg_catalog.pg_proc p on p.pronamespace = named.namespace and p.proname = named.name
    where p.provolatile <> 'i'
  )
  -- CURRENT_TIMESTAMP and similar, and texts that are cast to times, such as 'now'.
  or exists (
    select from expression
    where tree ~ 'SQLVALUEFUNCTION|NEXTVALUEEXPR'
      or (tree ~ 'COERCEVIAIO' and tree ~ ':resulttype (1082|1083|1114|1184|1266)\M')
  )
  or exists (
    select from expression
    cross join lateral pg_catalog.regexp_matches(tree, ':(?:funcid|opfuncid|winfnoid) (\d+)', 'g') as called
    join pg_catalog.pg_proc p on p.oid = called[1]::pg_catalog.oid
    where p.provolatile <> 'i'
  )
) as steady,
(
  select coalesce(json_agg(json_build_object(
    'oid', c.oid::text, 'name', format('%I.%I', n.nspname, c.relname),
    -- Writes to other relations are not reported: catalogs, materialized views, unlogged and foreign tables.
    'isNotified', c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema')
  ) order by c.oid), '[]')
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind in ('r', 'p', 'm', 'f')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as tables
