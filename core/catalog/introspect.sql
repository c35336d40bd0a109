-- The named relations with their columns and constraints. $1: schemas, $2: names, in pairs. It takes no locks, except
-- on views and foreign tables, which PostgreSQL opens to determine whether they are updatable.
with recursive wanted as (
  select c.oid, n.nspname, c.relname, c.relkind, c.relhassubclass, c.relhasrules
  from (select distinct schema, name from unnest($1::text[], $2::text[]) as pair (schema, name)) as pair
  join pg_catalog.pg_namespace n on n.nspname = pair.schema
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = pair.name
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
),
-- The relations that are read along with a relation, recursively through views.
reached (root, oid) as (
  select w.oid, w.oid from wanted w
  union
  select reached.root, d.refobjid
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid and c.relkind = 'v'
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
),
-- Relations that run a volatile function in a view or a policy. Built-in functions are not recorded as dependencies, so
-- they are found in the text of the expressions. The subqueries keep PostgreSQL from reading the views of the whole
-- database.
effectful as (
  select distinct reached.root
  from reached
  join pg_catalog.pg_class c on c.oid = reached.oid
  where case
    when c.relkind = 'f' then true
    when c.relkind = 'v' then (
      select pg_catalog.bool_or(p.provolatile = 'v')
      from pg_catalog.pg_rewrite r
      cross join lateral
        pg_catalog.regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid|winfnoid) (\d+)', 'g') as called
      join pg_catalog.pg_proc p on p.oid = called[1]::pg_catalog.oid
      where r.ev_class = c.oid and r.ev_type = '1'
    )
    when c.relrowsecurity then (
      select pg_catalog.bool_or(p.provolatile = 'v')
      from pg_catalog.pg_policy l
      cross join lateral pg_catalog.regexp_matches(l.polqual::text, ':(?:funcid|opfuncid) (\d+)', 'g') as called
      join pg_catalog.pg_proc p on p.oid = called[1]::pg_catalog.oid
      where l.polrelid = c.oid
    )
  end
),
-- Tables that inherit from an unpartitioned table; reading the parent reads their rows too.
heirs (root, oid) as (
  select w.oid, i.inhrelid
  from wanted w
  join pg_catalog.pg_inherits i on i.inhparent = w.oid
  where w.relkind = 'r' and w.relhassubclass
  union
  select heirs.root, i.inhrelid from heirs join pg_catalog.pg_inherits i on i.inhparent = heirs.oid
),
-- Default values for columns that `pg_constraint` lacks before PostgreSQL 18: a missing name resolves to these.
absent (conperiod, conenforced) as (select false, true)
select
  w.oid,
  w.nspname::text as schema,
  w.relname::text as name,
  w.relkind::text as kind,
  w.oid in (select root from effectful) as effectful,
  w.relkind = 'r' and w.relhassubclass as inherited,
  -- The relation in which Citus lists its tables.
  (select pg_catalog.to_regclass('pg_catalog.pg_dist_partition') is not null) as "mayBeDistributed",
  (
    select d.description
    from pg_catalog.pg_description d
    where d.objoid = w.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
  ) as comment,
  case w.relkind
    when 'r' then 28
    when 'p' then 28
    when 'm' then 0
    when 'f' then (
      select case when f.fdwhandler = 0 then 0 else pg_catalog.pg_relation_is_updatable(w.oid, true) end
      from pg_catalog.pg_foreign_table t
      join pg_catalog.pg_foreign_server s on s.oid = t.ftserver
      join pg_catalog.pg_foreign_data_wrapper f on f.oid = s.srvfdw
      where t.ftrelid = w.oid
    )
    else pg_catalog.pg_relation_is_updatable(w.oid, true)
  end as updatability,
  case when w.relhasrules then (
    -- Alone, a change returns the rows of the last INSTEAD statement of the event's own kind (:commandType). Within
    -- WITH, PostgreSQL allows a single INSTEAD statement, of any kind.
    select pg_catalog.json_agg(
      pg_catalog.json_build_array(
        rule.ev_type,
        rule.instead is null
          or substring(rule.instead, '.*:commandType ' || rule.ev_type::text || ' (.*)') like '%:returningList (%',
        rule.within
      )
    )
    from (
      select
        r.ev_type,
        pg_catalog.string_agg(r.ev_action::text, '' order by r.rulename) filter (where r.is_instead) as instead,
        pg_catalog.count(*) = 1 and pg_catalog.bool_and(
          r.is_instead and r.ev_qual::text = '<>'
          and r.ev_action::text like '%:returningList (%' and r.ev_action::text not like '%} {QUERY %'
          and not exists (
            select from pg_catalog.pg_depend d
            join pg_catalog.pg_rewrite o on o.ev_class = d.refobjid and o.ev_type <> '1' and o.oid <> r.oid
            where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
              and d.refclassid = 'pg_catalog.pg_class'::regclass
              and (o.ev_class <> r.ev_class or o.ev_type::text = substring(r.ev_action::text, ':commandType (.)'))
          )
        ) as within
      from pg_catalog.pg_rewrite r
      where r.ev_class = w.oid and r.ev_type <> '1' and r.ev_enabled in ('O', 'A')
      group by r.ev_type
    ) as rule
  ) end as rules,
  case when w.relkind = 'v' then (
    select pg_catalog.json_agg(distinct r.ev_type)
    from reached
    join pg_catalog.pg_class c on c.oid = reached.oid and c.relhasrules
    join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type <> '1' and r.ev_enabled in ('O', 'A')
    where reached.root = w.oid and reached.oid <> w.oid
  ) end as "rulesBehind",
  (
    select pg_catalog.json_agg(
      pg_catalog.json_build_array(
        a.attname, a.attnum, a.atttypid::int8,
        a.attnotnull
          and a.attnum <> all (unproven.columns)
          and not exists (
            select from heirs h
            join pg_catalog.pg_attribute ha on ha.attrelid = h.oid and ha.attname = a.attname
            where h.root = w.oid and not ha.attnotnull
          ),
        -- A domain may have its own default.
        a.atthasdef or (select y.typdefault is not null from pg_catalog.pg_type y where y.oid = a.atttypid),
        a.attgenerated <> '', a.attidentity, d.description,
        (
          select pg_catalog.json_build_array(n.nspname, l.collname)
          from pg_catalog.pg_collation l
          join pg_catalog.pg_namespace n on n.oid = l.collnamespace
          where l.oid = a.attcollation and not l.collisdeterministic
        )
      )
      order by a.attnum
    )
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_description d
      on d.objoid = a.attrelid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = a.attnum
    -- Since PostgreSQL 18 NOT NULL is a constraint, and may be not validated.
    cross join (
      select array(
        select n.conkey[1]
        from pg_catalog.pg_constraint n
        where n.conrelid = w.oid and n.contype = 'n' and not n.convalidated
      ) as columns
      offset 0
    ) as unproven
    where a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped
  ) as columns,
  (
    select pg_catalog.json_agg(
      pg_catalog.json_build_array(
        k.conname, k.oid::int8, k.contype, k.conkey, k.condeferrable,
        (select conperiod from (select k.*) as own), k.convalidated and (select conenforced from (select k.*) as own),
        tn.nspname, t.relname,
        (
          select pg_catalog.json_agg(a.attname order by position)
          from pg_catalog.unnest(k.confkey) with ordinality as key (number, position)
          join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = key.number
        )
      )
      order by k.conname
    )
    from pg_catalog.pg_constraint k
    cross join absent
    left join pg_catalog.pg_class t on t.oid = k.confrelid
    left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
    where k.conrelid = w.oid
      and k.contype in ('p', 'u', 'f')
      -- A key of a partitioned table is invalid until all partitions have it.
      and not (
        k.contype in ('p', 'u')
        and exists (select from pg_catalog.pg_index x where x.indexrelid = k.conindid and not x.indisvalid)
      )
      -- A foreign key to a partitioned table has a child constraint for each partition.
      and not exists (
        select from pg_catalog.pg_constraint parent
        where parent.oid = k.conparentid and parent.conrelid = k.conrelid
      )
  ) as constraints
from wanted w
