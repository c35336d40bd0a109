-- The relations among $1 (OIDs) whose rows Citus places, and the views that read such relations.
with recursive reached (root, oid) as (
  select r.oid, r.oid from pg_catalog.unnest($1::pg_catalog.oid[]) as r (oid)
  union
  select reached.root, d.refobjid
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind = 'v'
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
)
select distinct on (reached.root)
  reached.root as oid,
  case
    when reached.root <> reached.oid then 'view'
    when p.partmethod <> 'n' then 'sharded'
    when p.repmodel = 't' then 'reference'
    when p.colocationid = 0 then 'local'
    else 'sharded'
  end as kind,
  -- The node of the column, as PostgreSQL prints it.
  case when reached.root = reached.oid then a.attname::text end as "column"
from reached
join pg_catalog.pg_dist_partition p on p.logicalrelid = reached.oid
left join pg_catalog.pg_attribute a
  on a.attrelid = reached.oid and a.attnum = substring(p.partkey::text from ':varattno (\d+)')::int
order by reached.root, reached.root <> reached.oid
