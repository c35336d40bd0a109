-- Whether a relation or function with these names, or anything they read, can give another result without a written row; the
-- relations that hold the rows; and the definitions of all relations.
-- Continues named.sql. "origin" is the named relation whose rows these are; null for what a view or a policy reads.
reached (oid, origin) as (
  select c.oid, c.oid
  from named
  join pg_catalog.pg_class c on c.relnamespace = named.namespace and c.relname = named.name
  union
  select inner_relation.oid, inner_relation.origin
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid
  cross join lateral (
    select called[1]::pg_catalog.oid as oid, null::pg_catalog.oid as origin
    from pg_catalog.pg_rewrite r
    cross join lateral pg_catalog.regexp_matches(r.ev_action::text, ':relid (\d+)', 'g') as called
    where r.ev_class = c.oid and r.ev_type = '1' and c.relkind = 'v'
    union all
    select called[1]::pg_catalog.oid, null
    from pg_catalog.pg_policy l
    cross join lateral pg_catalog.regexp_matches(l.polqual::text, ':relid (\d+)', 'g') as called
    where l.polrelid = c.oid and c.relrowsecurity
    union all
    select i.inhrelid, reached.origin from pg_catalog.pg_inherits i where i.inhparent = c.oid
  ) as inner_relation
),
-- The expressions of these views and policies.
expression (tree) as (
  select r.ev_action::text
  from (select distinct oid from reached) as reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind = 'v'
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  union all
  select l.polqual::text
  from (select distinct oid from reached) as reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relrowsecurity
  join pg_catalog.pg_policy l on l.polrelid = c.oid
),
-- The columns whose values are equal exactly if their texts are.
exact (relation, columns) as (
  select a.attrelid, pg_catalog.json_agg(a.attname)
  from pg_catalog.pg_attribute a
  left join pg_catalog.pg_collation l on l.oid = a.attcollation
  where a.attrelid in (select oid from reached) and a.attnum > 0 and not a.attisdropped
    and a.atttypid in (16, 20, 21, 23, 25, 1043, 2950) and coalesce(l.collisdeterministic, true)
  group by a.attrelid
),
-- The columns whose old values are in the log; null for all of them.
identity (relation, columns) as (
  select c.oid, case when c.relreplident <> 'f' then coalesce((
    select pg_catalog.json_agg(a.attname)
    from pg_catalog.pg_index i
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = c.oid and i.indisvalid and i.indimmediate
      and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)
  ), '[]') end
  from pg_catalog.pg_class c
  where c.oid in (select oid from reached)
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
    'name', format('%I.%I', n.nspname, c.relname),
    -- Writes to other relations are not reported: catalogs, materialized views, unlogged and foreign tables.
    'isNotified', c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema'),
    'origins', relation.origins,
    'exact', coalesce((select e.columns from exact e where e.relation = c.oid), '[]'),
    'identity', (select i.columns from identity i where i.relation = c.oid)
  ) order by c.oid), '[]')
  from (
    select reached.oid, case when bool_and(reached.origin is not null) then
      json_agg(json_build_object('schema', origin_schema.nspname, 'name', origin.relname)) end as origins
    from reached
    left join pg_catalog.pg_class origin on origin.oid = reached.origin
    left join pg_catalog.pg_namespace origin_schema on origin_schema.oid = origin.relnamespace
    group by reached.oid
  ) as relation
  join pg_catalog.pg_class c on c.oid = relation.oid and c.relkind in ('r', 'p', 'm', 'f')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as tables,
(
  select coalesce(json_object_agg(c.oid, definition), '{}')
  from pg_catalog.pg_class c
  cross join lateral (select <definition> as definition) as defined
  where c.oid in (select oid from reached)
) as definitions,
<surroundings> as surroundings
