// The tables of jobs: the ledger of runs, and Agenda's entries, which can be rebuilt from it.

import type { Migration } from '../../sdk/index.ts'

/** The table that @agendajs/postgres-backend expects; it creates nothing itself here. Its rows may be lost. */
export const entriesTable = `
  create table if not exists trellis.agenda_job (
    id uuid primary key default md5(random()::text || clock_timestamp()::text)::uuid,
    name text not null,
    priority integer not null default 0,
    next_run_at timestamptz,
    type varchar(10) not null default 'normal',
    locked_at timestamptz,
    last_finished_at timestamptz,
    failed_at timestamptz,
    fail_count integer,
    fail_reason text,
    repeat_timezone text,
    last_run_at timestamptz,
    repeat_interval text,
    data jsonb default '{}',
    repeat_at text,
    disabled boolean default false,
    progress real,
    fork boolean default false,
    last_modified_by text,
    debounce_started_at timestamptz,
    start_date timestamptz,
    end_date timestamptz,
    skip_days jsonb,
    created_at timestamptz default now(),
    updated_at timestamptz default now()
  ) with (fillfactor = 50);
  create unique index if not exists agenda_job_single on trellis.agenda_job (name) where type = 'single'`

export const jobMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `
      -- One row per job that runs once per cluster.
      create table trellis.job (
        name text primary key,
        schedule text not null,
        -- The latest occurrence of the schedule that was begun.
        tick timestamptz,
        -- When it was asked to run beside its schedule.
        wake_at timestamptz,
        -- Runs at work by their ids: {"until": when the lease ends, in seconds since 1970, "instance": text}.
        runs jsonb not null default '{}',
        last_started_at timestamptz,
        last_finished_at timestamptz,
        last_seconds float8,
        run_count bigint not null default 0,
        failure_count bigint not null default 0,
        failures_in_row bigint not null default 0,
        last_failed_at timestamptz,
        last_error text
      ) with (fillfactor = 50);

      -- Tells catalogs apart whose jobs are in one MongoDB.
      create table trellis.job_catalog (id text not null);
      insert into trellis.job_catalog (id) values (substr(md5(random()::text || clock_timestamp()::text), 1, 12));

      ${entriesTable}`,
  },
  { name: '0002-paused', sql: 'alter table trellis.job add column is_paused boolean not null default false' },
]
