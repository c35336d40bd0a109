// The tables of core in the schema `trellis`. Append a migration for each change; a released one is never edited.

import type { Migration } from './migration.ts'

export const coreMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `
      -- One row: the key has a single possible value.
      create table trellis.metadata (
        "only" boolean primary key default true check ("only" in (true)),
        id uuid not null,
        resource_version bigint not null
      );
      insert into trellis.metadata (id, resource_version)
        values (md5(random()::text || clock_timestamp()::text || random()::text)::uuid, 0);

      -- The metadata document, one row per entry.
      create table trellis.metadata_entry (
        slice text not null,
        key text not null,
        entry json not null,
        primary key (slice, key)
      );

      -- Facts fetched from elsewhere, such as the schema of another server, as of the last fetch.
      create table trellis.metadata_source (
        source text not null,
        id text not null,
        -- Digest of the definition that the value was fetched by.
        digest text not null,
        value json not null,
        primary key (source, id)
      );

      -- Refuses rows that break a permission. Volatile, so that PostgreSQL calls it for each row and never plans it away.
      create function trellis.check_violation(message text) returns boolean
      language plpgsql volatile as $$
      begin
        raise exception using errcode = '23514', message = message;
      end
      $$;

      -- Users' own migrations call public.gen_random_uuid(). Trellis itself runs without the extension.
      do $$
      begin
        if not exists (select from pg_catalog.pg_extension where extname = 'pgcrypto') then
          create extension pgcrypto schema public;
        end if;
      exception when others then null;
      end $$`,
  },
]
