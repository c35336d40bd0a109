// The event log in the database: its tables, and the function by which the triggers of tables write to it.

import type { Migration } from '../../sdk/index.ts'
import { requestSetting } from './capture/request-id.ts'

/**
 * `trigger-sql.ts` describes the payload. `locked` is the end of a lease; `seq` orders events with the same `order_key`;
 * `next_retry_at` is infinite while the trigger is paused, or while earlier events with the same key are undelivered.
 * Attempts may outlive their events (retention), so they have no foreign key, whose check each attempt would pay for.
 *
 * Half of each page stays free, so that a claim updates its rows within the page and touches no index.
 *
 * `event_log_watched` holds the time, in milliseconds since 1970, until which a worker polls (core/queue/watch.ts).
 * A sequence is read without locks and regardless of the reader's snapshot.
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
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

  create index event_log_due on trellis.event_log ((coalesce(next_retry_at, created_at)))
    where not delivered and not error and not archived;
  create index event_log_ordered on trellis.event_log (trigger_name, order_key, seq)
    where order_key is not null and not delivered and not error and not archived;
  create index event_log_trigger on trellis.event_log (trigger_name, created_at);
  -- Finds failed and archived events among any number of delivered ones.
  create index event_log_undelivered on trellis.event_log (trigger_name, created_at) where error or archived;

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
  create index event_invocation_logs_trigger on trellis.event_invocation_logs (trigger_name, created_at);

  create sequence trellis.event_log_watched`

/** Milliseconds ahead up to which the time in `event_log_watched` counts; a later one predates a clock set back. */
const farthest = 10_000

/**
 * A setting made by another program may be invalid JSON; it is then null. The payload is json rather than jsonb, so that a
 * character that jsonb refuses, such as U+0000, never keeps a row from being written.
 *
 * A commit with a notification waits for other such commits, so none is sent while a worker polls. PL/pgSQL evaluates the
 * condition as a simple expression, which costs a fraction of a query.
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

  create function trellis.record_event(
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
    if not is_paused and (abs(pg_sequence_last_value('trellis.event_log_watched'::regclass)
      - date_part('epoch', clock_timestamp()) * 1000 - ${farthest / 2}) <= ${farthest / 2}) is not true then
      perform pg_notify('trellis_delivery', 'events');
    end if;
  end $$`

/** Writes an event for each of several triggers, in their order. The JSON is built once, and one statement writes all rows. */
const manyEvents = `
  create function trellis.record_events(
    schema_name name, table_name name, trigger_names text[], op text, old_data json, new_data json,
    session_variables text, trace_context text, order_key text, paused boolean[]) returns void language plpgsql
  set search_path = pg_catalog, pg_temp as $$
  begin
    insert into trellis.event_log (schema_name, table_name, trigger_name, payload, order_key, next_retry_at)
    select record_events.schema_name, record_events.table_name, recorded.name, event.payload, record_events.order_key,
      case when recorded.is_paused then 'infinity'::timestamptz end
    from (
      select json_build_object('op', op, 'data', json_build_object('old', old_data, 'new', new_data),
        'session_variables', case when session_variables <> '' then trellis.setting_json(session_variables) end,
        'trace_context', case when trace_context <> '' then trellis.setting_json(trace_context) end) as payload
      offset 0) as event, unnest(trigger_names, paused) as recorded (name, is_paused);
    if false = any (paused) and (abs(pg_sequence_last_value('trellis.event_log_watched'::regclass)
      - date_part('epoch', clock_timestamp()) * 1000 - ${farthest / 2}) <= ${farthest / 2}) is not true then
      perform pg_notify('trellis_delivery', 'events');
    end if;
  end $$`

/**
 * The functions read the request's id themselves: triggers that other versions of the server wrote call them as before. No index
 * serves it, which each event would pay for.
 */
const requestIds = `
  alter table trellis.event_log add column request_id text;

  create or replace function trellis.record_event(
    schema_name name, table_name name, trigger_name text, op text, old_data json, new_data json,
    session_variables text, trace_context text, order_key text, is_paused boolean) returns void language plpgsql
  set search_path = pg_catalog, pg_temp as $$
  begin
    insert into trellis.event_log (schema_name, table_name, trigger_name, payload, order_key, next_retry_at, request_id)
    values (schema_name, table_name, trigger_name, json_build_object(
      'op', op, 'data', json_build_object('old', old_data, 'new', new_data),
      'session_variables', case when session_variables <> '' then trellis.setting_json(session_variables) end,
      'trace_context', case when trace_context <> '' then trellis.setting_json(trace_context) end), order_key,
      case when is_paused then 'infinity'::timestamptz end, nullif(current_setting('${requestSetting}', true), ''));
    if not is_paused and (abs(pg_sequence_last_value('trellis.event_log_watched'::regclass)
      - date_part('epoch', clock_timestamp()) * 1000 - ${farthest / 2}) <= ${farthest / 2}) is not true then
      perform pg_notify('trellis_delivery', 'events');
    end if;
  end $$;

  create or replace function trellis.record_events(
    schema_name name, table_name name, trigger_names text[], op text, old_data json, new_data json,
    session_variables text, trace_context text, order_key text, paused boolean[]) returns void language plpgsql
  set search_path = pg_catalog, pg_temp as $$
  begin
    insert into trellis.event_log (schema_name, table_name, trigger_name, payload, order_key, next_retry_at, request_id)
    select record_events.schema_name, record_events.table_name, recorded.name, event.payload, record_events.order_key,
      case when recorded.is_paused then 'infinity'::timestamptz end, nullif(current_setting('${requestSetting}', true), '')
    from (
      select json_build_object('op', op, 'data', json_build_object('old', old_data, 'new', new_data),
        'session_variables', case when session_variables <> '' then trellis.setting_json(session_variables) end,
        'trace_context', case when trace_context <> '' then trellis.setting_json(trace_context) end) as payload
      offset 0) as event, unnest(trigger_names, paused) as recorded (name, is_paused);
    if false = any (paused) and (abs(pg_sequence_last_value('trellis.event_log_watched'::regclass)
      - date_part('epoch', clock_timestamp()) * 1000 - ${farthest / 2}) <= ${farthest / 2}) is not true then
      perform pg_notify('trellis_delivery', 'events');
    end if;
  end $$`

export const eventLogMigrations: readonly Migration[] = [
  { name: '0001-baseline', sql: `${tables};\n${functions}` },
  { name: '0002-several-triggers', sql: manyEvents },
  { name: '0003-request-ids', sql: requestIds },
]
