// The tables of the history.

import type { Migration } from '../../sdk/index.ts'

/**
 * `total`: bytes of this patch and all before it. `place` has a form that can be searched; `key` is the JSON text of the
 * entry's identity, since a name may hold characters that a text of PostgreSQL cannot.
 */
export const historyMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `
      create table trellis.metadata_version (
        id bigint generated always as identity primary key,
        version bigint not null,
        at timestamptz not null default clock_timestamp(),
        author json not null,
        request_id text,
        operations text[] not null,
        bytes bigint not null,
        total bigint not null,
        is_complete boolean not null
      );
      create index metadata_version_version on trellis.metadata_version (version);
      create table trellis.metadata_change (
        id bigint not null references trellis.metadata_version on delete cascade,
        position integer not null,
        place jsonb not null,
        key text,
        before json,
        after json,
        primary key (id, position)
      )`,
  },
]
