-- The beginning of the statements that look names up.
-- $1: schemas, $2: names, in pairs; unknown names are ignored.
with recursive named as (
  select n.oid as namespace, pair.name
  from (select distinct schema, name from unnest($1::text[], $2::text[]) as pair (schema, name)) as pair
  join pg_catalog.pg_namespace n on n.nspname = pair.schema
),
