// The ledger of scheduled events: due times, states, and all attempts.

import type { Migration } from '../../sdk/index.ts'

/** Both kinds of event have the same columns of state; `locked` is the end of a lease. */
const eventTable = (table: string, logs: string, own: string): string => `
  create table trellis.${table} (
    id text primary key default trellis.new_event_id(),
    ${own}
    scheduled_time timestamptz not null,
    status text not null default 'scheduled' check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead')),
    tries integer not null default 0,
    created_at timestamptz not null default now(),
    next_retry_at timestamptz,
    locked timestamptz,
    locked_by text
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
  create index ${table}_due on trellis.${table} ((coalesce(next_retry_at, scheduled_time))) where status = 'scheduled';
  create index ${table}_leased on trellis.${table} (locked) where status = 'locked';
  create index ${table}_time on trellis.${table} (scheduled_time);
  create table trellis.${logs} (
    id text primary key default trellis.new_event_id(),
    event_id text not null references trellis.${table} on delete cascade,
    status integer,
    request json,
    response json,
    created_at timestamptz not null default now()
  );
  create index ${logs}_event on trellis.${logs} (event_id)`

const cron = eventTable('hdb_cron_events', 'hdb_cron_event_invocation_logs', 'trigger_name text not null,')
const oneOff = eventTable(
  'hdb_scheduled_events',
  'hdb_scheduled_event_invocation_logs',
  `webhook_conf json not null, retry_conf json not null, payload json, header_conf json not null, comment text,`,
)

export const scheduledMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `${cron};
      create unique index hdb_cron_events_tick on trellis.hdb_cron_events (trigger_name, scheduled_time);
      ${oneOff}`,
  },
]
