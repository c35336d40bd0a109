// Event triggers while a transaction keeps an old snapshot open: PostgreSQL removes no finished events then.

import type pg from 'pg'
import { makeDatabase, withClient } from '../support/database.ts'
import type { Surroundings } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'
import { startWebhook, type Webhook } from './webhook.ts'

/** Events per second, and seconds for which they are measured. */
export const heldRate = 800
const seconds = 15
const stepMillis = 20

/** Events that are finished under the snapshot before the measurement: this rate for this number of seconds. */
export const heldSeconds = 1800

export interface HeldResult {
  /** Deliveries per second and milliseconds from the commit, as multiples of those without a snapshot. */
  readonly rate: number
  readonly p99: number
  readonly p99Millis: number
  /** The size of the log after the same number of new events once the snapshot is closed, as a multiple. */
  readonly size: number
}

/** The targets. */
export const heldTargets = { rate: 0.95, p99: 2, size: 1.1 }

const finished = heldRate * heldSeconds

/** Writes finished events as deliveries do: insert, lease, deliver. */
async function finishEvents(client: pg.Client): Promise<void> {
  await client.query(
    `insert into trellis.event_log (schema_name, table_name, trigger_name, payload, created_at, locked)
     select 'public', 'told', 'finished', '{"op": "INSERT", "data": {"old": null, "new": {"id": 1, "name": "row"}}}',
       now() - make_interval(secs => n::float8 / $2 + 60), now() + interval '50 s' from generate_series(1, $1::int) n`,
    [finished, heldRate],
  )
  await client.query(`update trellis.event_log set locked = null, delivered = true where trigger_name = 'finished'`)
}

async function deliver(client: pg.Client, webhook: Webhook) {
  const run = async (length: number) => {
    await webhook.take()
    const began = performance.now()
    for (let step = 1; step <= (length * 1000) / stepMillis; step++) {
      await client.query(`insert into told (name) select 'row' from generate_series(1, $1)`, [
        (heldRate * stepMillis) / 1000,
      ])
      const wait = began + step * stepMillis - performance.now()
      if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    }
    // Deliveries that lag behind do not count.
    const { late } = await webhook.take()
    return {
      rate: late.length / ((performance.now() - began) / 1000),
      p99: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
    }
  }
  await run(3)
  return run(seconds)
}

const sizeOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query(`select pg_total_relation_size('trellis.event_log')::float8 as size`)
  return rows[0].size
}

/** Measures over a separate database. */
export async function measureHeld(serverUrl: string, surroundings: Surroundings): Promise<HeldResult> {
  const databaseUrl = await makeDatabase(serverUrl, 'held')
  const webhook = await startWebhook(surroundings)
  const trellis = await startTrellis(['--database-url', databaseUrl], surroundings)
  const result = await withClient(databaseUrl, async (client) => {
    await client.query('create table told (id serial primary key, name text)')
    await operate(trellis.port, 'track_table', 'told')
    await operate(trellis.port, 'create_event_trigger', {
      ...{ name: 'told', table: 'told', insert: { columns: '*' }, webhook: webhook.url },
    })
    const clean = await deliver(client, webhook)
    const held = await withClient(databaseUrl, async (holder) => {
      await holder.query('begin isolation level repeatable read; select 1')
      await finishEvents(client)
      const held = await deliver(client, webhook)
      await holder.query('commit')
      return held
    })
    await client.query('vacuum trellis.event_log')
    const before = await sizeOf(client)
    await client.query(`delete from trellis.event_log where trigger_name = 'finished'`)
    // Empty pages of indexes are reused after the next vacuum that sees a later transaction. Any traffic makes one.
    for (let time = 0; time < 2; time++) {
      await client.query('vacuum trellis.event_log')
      await client.query('select pg_current_xact_id()')
    }
    await finishEvents(client)
    const size = (await sizeOf(client)) / before
    return { rate: held.rate / clean.rate, p99: held.p99 / clean.p99, p99Millis: held.p99, size }
  })
  await trellis.stop()
  await webhook.stop()
  return result
}
