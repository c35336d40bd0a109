-- The operators with which PostgreSQL compares values of types. $1: type oids. They are those of the default operator
-- classes, which PostgreSQL uses to sort values (btree) and to deduplicate them (btree or hash). They do not depend on
-- the search path.
with recursive parts (root, oid, depth) as (
  -- A type and the types of its members, recursively: values are compared member by member.
  select asked.oid, asked.oid, 0 from pg_catalog.unnest($1::oid[]) as asked (oid)
  union
  select parts.root, part.oid, case when t.typtype = 'd' then parts.depth else 1 end
  from parts
  join pg_catalog.pg_type t on t.oid = parts.oid
  cross join lateral (
    select t.typbasetype as oid where t.typtype = 'd'
    union all
    select t.typelem where t.typlen = -1 and t.typelem <> 0
    union all
    select a.atttypid from pg_catalog.pg_attribute a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) as part
),
plain as materialized (
  select parts.root, parts.depth, t.oid, t.typnamespace, t.typtype, t.typrelid, t.typlen = -1 and t.typelem <> 0 as "isArray"
  from parts
  join pg_catalog.pg_type t on t.oid = parts.oid
  where t.typtype <> 'd'
),
-- Types that a value is cast to implicitly. By `rank`, casts that change the representation come last.
taken as materialized (
  select plain.oid, target.oid as target, target.rank
  from (select distinct oid, typtype, "isArray" from plain) as plain
  cross join lateral (
    select plain.oid, 0 as rank
    union all
    select c.casttarget, case when c.castmethod <> 'b' then 4 when t.typispreferred then 1 else 2 end
    from pg_catalog.pg_cast c
    join pg_catalog.pg_type t on t.oid = c.casttarget
    where c.castsource = plain.oid and c.castcontext = 'i'
    union all
    select 'pg_catalog.anyarray'::pg_catalog.regtype, 3 where plain."isArray"
    union all
    select
      case plain.typtype
        when 'e' then 'pg_catalog.anyenum'::pg_catalog.regtype
        when 'c' then 'pg_catalog.record'::pg_catalog.regtype
        when 'r' then 'pg_catalog.anyrange'::pg_catalog.regtype
        else pg_catalog.to_regtype('pg_catalog.anymultirange')
      end,
      3
    where plain.typtype in ('e', 'c', 'r', 'm')
  ) as target
),
classes as materialized (
  select distinct on (taken.oid, m.amname) taken.oid, m.amname, o.opcfamily, o.opcintype
  from taken
  join pg_catalog.pg_opclass o on o.opcintype = taken.target and o.opcdefault
  join pg_catalog.pg_am m on m.oid = o.opcmethod and m.amname in ('btree', 'hash')
  where taken.rank < 4
  order by taken.oid, m.amname, taken.rank
),
class_operators as materialized (
  select
    classes.oid, o.oid as operator, o.oprnegate as negated,
    case classes.amname when 'btree' then 0 else 1 end as rank,
    case classes.amname when 'btree' then (array['<', '<=', '=', '>=', '>'])[a.amopstrategy] else '=' end as symbol
  from classes
  join pg_catalog.pg_amop a
    on a.amopfamily = classes.opcfamily and a.amoplefttype = classes.opcintype
    and a.amoprighttype = classes.opcintype and a.amoppurpose = 's'
  join pg_catalog.pg_operator o on o.oid = a.amopopr
),
operators as materialized (
  select distinct on (named.oid, named.symbol) named.oid, named.symbol, named.operator, n.nspname, o.oprname
  from (
    select oid, symbol, operator, rank from class_operators
    union all
    select oid, '<>', negated, rank from class_operators where symbol = '=' and negated <> 0
    union all
    -- A type without an operator class may still have operators of these names.
    select plain.oid, o.oprname, o.oid, 2
    from plain
    join pg_catalog.pg_operator o
      on o.oprleft = plain.oid and o.oprright = plain.oid and o.oprnamespace = plain.typnamespace
      and o.oprname in ('<', '<=', '=', '<>', '>=', '>')
    where plain.depth = 0
  ) as named
  join pg_catalog.pg_operator o on o.oid = named.operator
  join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
  order by named.oid, named.symbol, named.rank
)
select
  plain.root as type,
  plain.oid as base,
  plain.typtype = 'c' as "isRow",
  not exists (
    select from plain part
    where part.root = plain.root and not exists (select from classes c where c.oid = part.oid and c.amname = 'btree')
  ) as "isSorted",
  case
    when exists (
      select from plain part
      where part.root = plain.root and part.depth = 1 and not exists (select from classes c where c.oid = part.oid)
    ) then '{}'
    else coalesce(
      (
        select pg_catalog.json_object_agg(o.symbol, pg_catalog.json_build_array(o.nspname, o.oprname))
        from operators o where o.oid = plain.oid
      ),
      '{}'
    )
  end as operators,
  (
    select n.nspname
    from pg_catalog.pg_aggregate a
    join pg_catalog.pg_proc p on p.oid = a.aggfnoid and p.proname = 'min'
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where a.aggsortop = (select o.operator from operators o where o.oid = plain.oid and o.symbol = '<')
  ) as extremes,
  (
    select o.nspname
    from operators o
    join pg_catalog.pg_operator l
      on l.oprname = '~~' and l.oprleft = plain.oid and l.oprright = plain.oid
      and l.oprnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = o.nspname)
    where o.oid = plain.oid and o.symbol = '='
  ) as patterns,
  (
    select coalesce(pg_catalog.json_agg(a.atttypid::int8 order by a.attnum), '[]')
    from pg_catalog.pg_attribute a
    where plain.typtype = 'c' and a.attrelid = plain.typrelid and a.attnum > 0 and not a.attisdropped
  ) as attributes,
  (select pg_catalog.json_agg(t.target::int8 order by t.target) from taken t where t.oid = plain.oid) as "takenFor",
  (
    select coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(e.oprright::int8, e.nspname) order by e.oprright, e.nspname), '[]')
    from (
      select distinct o.oprright, n.nspname
      from taken t
      join pg_catalog.pg_operator o on o.oprleft = t.target and o.oprname = '=' and o.oprright <> 0
      join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
      join pg_catalog.pg_type r on r.oid = o.oprright and r.typtype <> 'p'
      where t.oid = plain.oid
    ) as e
  ) as "equalTo"
from plain
where plain.depth = 0
