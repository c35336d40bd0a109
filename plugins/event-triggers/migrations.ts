// The event log in the database: its tables, and the function by which the triggers of tables write to it.

import type { Migration } from '../../sdk/index.ts'
import { undeliveredIndexMigration } from './undelivered-index.ts'
import { unlessLocked } from './unless-locked.ts'

/**
 * How an event's payload reads is described where it is made. `locked` is the end of the lease of who delivers it; `seq` is the
 * order of events with the same `order_key`; `next_retry_at` is infinite as long as the trigger is paused, or others with the
 * same key come first. Attempts outlive their events where retention says so, so there is no foreign key, which each of them
 * would pay for.
 */
const tables = `
  create table trellis.event_log (
    id text primary key default trellis.new_event_id(),
    schema_name text not null,
    table_name text not null,
    trigger_name text not null,
    payload json not null,
    delivered boolean not null default false,
    error boolean not null default false,
    tries integer not null default 0,
    created_at timestamptz not null default now(),
    locked timestamptz,
    locked_by text,
    next_retry_at timestamptz,
    archived boolean not null default false,
    seq bigserial not null,
    order_key text
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

  create index event_log_due on trellis.event_log ((coalesce(next_retry_at, created_at)))
    where not delivered and not error and not archived;
  create index event_log_ordered on trellis.event_log (trigger_name, order_key, seq)
    where order_key is not null and not delivered and not error and not archived;
  create index event_log_trigger on trellis.event_log (trigger_name, created_at);

  create table trellis.event_invocation_logs (
    id text primary key default trellis.new_event_id(),
    event_id text not null,
    trigger_name text not null,
    status integer,
    request json,
    response json,
    created_at timestamptz not null default now()
  );
  create index event_invocation_logs_event on trellis.event_invocation_logs (event_id);
  create index event_invocation_logs_trigger on trellis.event_invocation_logs (trigger_name, created_at)`

/** The function that writes an event, and notifies where a condition holds. */
const recordEvent = (isTold: string) => `create or replace function trellis.record_event(
    schema_name name, table_name name, trigger_name text, op text, old_data json, new_data json,
    session_variables text, trace_context text, order_key text, is_paused boolean) returns void language plpgsql
  set search_path = pg_catalog, pg_temp as $$
  begin
    insert into trellis.event_log (schema_name, table_name, trigger_name, payload, order_key, next_retry_at)
    values (schema_name, table_name, trigger_name, json_build_object(
      'op', op, 'data', json_build_object('old', old_data, 'new', new_data),
      'session_variables', case when session_variables <> '' then trellis.setting_json(session_variables) end,
      'trace_context', case when trace_context <> '' then trellis.setting_json(trace_context) end), order_key,
      case when is_paused then 'infinity'::timestamptz end);
    if ${isTold} then
      perform pg_notify('trellis_delivery', 'events');
    end if;
  end $$`

/**
 * Settings that another program made may be no JSON: then there is none. The payload is not jsonb: what a row may hold, such as
 * the character U+0000 in a column of type json, must never keep it from being written.
 */
const functions = `
  create function trellis.setting_json(value text) returns json language plpgsql immutable
  set search_path = pg_catalog, pg_temp as $$
  begin
    if value is null or value = '' then
      return null;
    end if;
    begin
      return value::json;
    exception when others then
      return null;
    end;
  end $$;

  ${recordEvent('not is_paused')}`

/**
 * Half of each page is left for the claims of what is in the other half: they stay in their pages and touch no index, and the
 * log becomes smaller, not larger, since they make no further pages. Where somebody is at work on the log, it goes without.
 */
const roomForClaims: Migration = {
  name: '0003-room-for-claims',
  sql: unlessLocked('alter table trellis.event_log set (fillfactor = 50)'),
}

/** Milliseconds ahead up to which a time is believed until which somebody watches. */
const farthest = 10_000

/**
 * Who notifies commits alone, so that nobody does while somebody watches the log (plugins/delivery/watch.ts). Until when, in milliseconds
 * since 1970, is in a sequence: it is seen at once whatever a transaction sees else, and nobody who reads it is in anybody's way. A
 * time far ahead is one from before the clock was set back.
 */
const watchedLog: Migration = {
  name: '0004-watched-log',
  sql: 'create sequence if not exists trellis.event_log_watched',
}

/** Each change pays for this: what PL/pgSQL evaluates by itself, and once, costs a fraction of a query. */
const quickRecording: Migration = {
  name: '0005-quick-recording',
  sql: recordEvent(`not is_paused and (abs(pg_sequence_last_value('trellis.event_log_watched'::regclass)
      - date_part('epoch', clock_timestamp()) * 1000 - ${farthest / 2}) <= ${farthest / 2}) is not true`),
}

export const eventLogMigrations: readonly Migration[] = [
  { name: '0001-event-log', sql: `${tables};\n${functions}` },
  undeliveredIndexMigration,
  roomForClaims,
  watchedLog,
  quickRecording,
]
