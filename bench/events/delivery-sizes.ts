// The cost of a log with many delivered events, of events that are due all at once, and of an idle server.

import type pg from 'pg'
import { requestBytes, runLoad } from '../support/load.ts'
import { operate, type Trellis } from '../support/trellis.ts'
import type { Webhook } from './webhook.ts'

export const fullLog = 1_000_000
export const oneOffs = 5000
const oneOffsAhead = 5
const idleSeconds = 20
const settlingMillis = 5000

/** Adds events that were delivered long ago, with their attempts. */
export async function fillLog(client: pg.Client): Promise<void> {
  const payload = `json_build_object('op', 'INSERT', 'data', json_build_object('old', null, 'new', json_build_object('id', n)))`
  await client.query(
    `insert into trellis.event_log (schema_name, table_name, trigger_name, payload, delivered, tries, created_at)
     select 'public', 'told', 'told', ${payload}, true, 1, now() - interval '1 day' from generate_series(1, $1::int) n`,
    [fullLog],
  )
  await client.query(
    `insert into trellis.event_invocation_logs (event_id, trigger_name, status, request, response, created_at)
     select id, trigger_name, 200, payload, '{}', created_at from trellis.event_log where created_at < now() - interval '1 hour'`,
  )
  // Otherwise PostgreSQL does it by itself during the measurement.
  await client.query('vacuum analyze trellis.event_log, trellis.event_invocation_logs')
}

/** Milliseconds of the 99th percentile of short queries. */
export async function queryP99(port: number): Promise<number> {
  const query = 'query ($id: Int!) { told_by_pk(id: $id) { id name amount } }'
  const requests = Array.from({ length: 100 }, (_, id) => requestBytes('/v1/graphql', { query, variables: { id } }))
  await runLoad({ port, requests }, { connections: 8, seconds: 1 })
  const { p99 } = await runLoad({ port, requests }, { connections: 8, seconds: 4 })
  return p99
}

/** Milliseconds from the due time of one-off events, which are due all at once, to the webhook; the 99th percentile. */
export async function measureOneOffs(trellis: Trellis, client: pg.Client, webhook: Webhook): Promise<number> {
  await webhook.take()
  const at = new Date(Date.now() + oneOffsAhead * 1000).toISOString()
  await operate(trellis.port, 'create_scheduled_event', { webhook: webhook.url, schedule_at: at, payload: {} })
  await client.query(
    `insert into trellis.hdb_scheduled_events (webhook_conf, retry_conf, payload, header_conf, scheduled_time)
     select webhook_conf, retry_conf, payload, header_conf, scheduled_time
     from trellis.hdb_scheduled_events, generate_series(2, $1::int)`,
    [oneOffs],
  )
  const { late } = await webhook.takeAll(oneOffs)
  return late[Math.floor(late.length * 0.99)] ?? Number.NaN
}

export interface IdleCost {
  readonly statementsPerSecond: number
  /** The connections that were used during the samples. */
  readonly connections: number
}

/** The work of an idle server: statements and connections, as samples every 50 ms show them. */
export async function measureIdle(client: pg.Client): Promise<IdleCost> {
  // Earlier work may still cause a few polls.
  await new Promise((done) => setTimeout(done, settlingMillis))
  const statements = new Set<string>()
  const used = new Set<number>()
  for (
    const end = Date.now() + idleSeconds * 1000;
    Date.now() < end;
    await new Promise((done) => setTimeout(done, 50))
  ) {
    const { rows } = await client.query<{ pid: number; start: string; isNew: boolean }>(
      `select pid, query_start::text as start, query_start > now() - interval '1 second' as "isNew" from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query_start is not null`,
    )
    for (const { pid, start, isNew } of rows) {
      if (!isNew) continue
      statements.add(`${pid} ${start}`)
      used.add(pid)
    }
  }
  return { statementsPerSecond: statements.size / idleSeconds, connections: used.size }
}
