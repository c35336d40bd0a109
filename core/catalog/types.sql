-- The external view of types; domains are resolved to their base type, one level. $1: type oids. The text is valid for
-- every search path. It is formatted with type modifier -1, because without it `character` and `bit` would mean length
-- 1.
select
  asked.oid as asked,
  t.oid,
  n.nspname::text as schema,
  t.typname::text as name,
  t.typtype::text as kind,
  element.oid is not null as "isArray",
  given.typtype = 'd' and t.typtype = 'e' as "isEnumDomain",
  relation.relkind <> 'c' as "isTableRow",
  -- A fingerprint of all casts and operators, including those of built-in types.
  (select pg_catalog.concat_ws('.', pg_catalog.count(*), pg_catalog.max(c.oid)) from pg_catalog.pg_cast c)
    || '/'
    || (select pg_catalog.concat_ws('.', pg_catalog.count(*), pg_catalog.max(o.oid)) from pg_catalog.pg_operator o)
    as "comparedBy",
  case
    when n.nspname = 'pg_catalog' then pg_catalog.format_type(t.oid, -1)
    when element.oid is not null then
      pg_catalog.quote_ident(en.nspname) || '.' || pg_catalog.quote_ident(element.typname) || '[]'
    else pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.typname)
  end as sql
from pg_catalog.unnest($1::oid[]) as asked (oid)
join pg_catalog.pg_type given on given.oid = asked.oid
join pg_catalog.pg_type t on t.oid = case given.typtype when 'd' then given.typbasetype else given.oid end
join pg_catalog.pg_namespace n on n.oid = t.typnamespace
left join pg_catalog.pg_class relation on relation.oid = t.typrelid
left join pg_catalog.pg_type element on element.oid = t.typelem and element.typarray = t.oid
left join pg_catalog.pg_namespace en on en.oid = element.typnamespace
