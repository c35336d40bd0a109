-- The tables that statements with these names may write, including those that are written through foreign keys; null if that
-- cannot be known, because of a view, a trigger or a function.
-- Continues named.sql.
reached (oid) as (
  select c.oid
  from named
  join pg_catalog.pg_class c on c.relnamespace = named.namespace and c.relname = named.name
  union
  select next.oid
  from reached
  cross join lateral (
    select i.inhrelid as oid from pg_catalog.pg_inherits i where i.inhparent = reached.oid
    union all
    -- Rows that are deleted or changed with the rows that they refer to.
    select f.conrelid
    from pg_catalog.pg_constraint f
    where f.confrelid = reached.oid and f.contype = 'f' and (f.confdeltype in ('c', 'n', 'd') or f.confupdtype in ('c', 'n', 'd'))
  ) as next
)
select case when
  exists (select from reached join pg_catalog.pg_class c on c.oid = reached.oid where c.relkind not in ('r', 'p', 'i', 'I', 'S'))
  or exists (
    select from reached join pg_catalog.pg_rewrite r on r.ev_class = reached.oid and r.ev_type <> '1'
  )
  -- The server's own triggers write only tables without subscribers.
  or exists (
    select from reached
    join pg_catalog.pg_trigger t on t.tgrelid = reached.oid and not t.tgisinternal
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname <> 'trellis'
  )
  or exists (
    select from named
    join pg_catalog.pg_proc p on p.pronamespace = named.namespace and p.proname = named.name
    where p.provolatile = 'v'
  )
then null
else (
  select coalesce(json_agg(format('%I.%I', n.nspname, c.relname)), '[]')
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) end as tables
