-- A text that changes with the functions, types, schemas and rights that any answer may depend on.
pg_catalog.concat_ws(' ',
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_proc d where d.oid >= 16384),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_type d where d.oid >= 16384 and d.typtype in ('d', 'e')),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_enum d),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_namespace d),
  (select pg_catalog.concat(count(*), '/', sum(d.xmin::text::bigint)) from pg_catalog.pg_auth_members d),
  (select r.rolsuper::text || r.rolbypassrls::text || r.rolinherit::text from pg_catalog.pg_roles r where r.rolname = current_user))
