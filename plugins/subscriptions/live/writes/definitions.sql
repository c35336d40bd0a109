-- The current definitions of relations, and the position up to which the log is on disk.
-- $1: OIDs.
select
  (
    select coalesce(json_object_agg(c.oid, definition), '{}')
    from pg_catalog.pg_class c
    cross join lateral (select <definition> as definition) as defined
    where c.oid = any($1::pg_catalog.oid[])
  ) as definitions,
  <surroundings> as surroundings,
  (case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
    else pg_catalog.pg_current_wal_flush_lsn() end)::text as position
