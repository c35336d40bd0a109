-- A text that changes with the definition of the relation "c": its columns, rights, indexes, policies, parts, and its query.
pg_catalog.concat_ws(' ', c.xmin,
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_attribute d where d.attrelid = c.oid),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_index d where d.indrelid = c.oid),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_policy d where d.polrelid = c.oid),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_inherits d where d.inhparent = c.oid),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_rewrite d where d.ev_class = c.oid))
