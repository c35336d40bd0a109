// The cost of recording for a bulk insert into a table with several event triggers.

import type pg from 'pg'
import { makeDatabase, withClient } from '../support/database.ts'
import { median } from '../support/median.ts'
import type { Surroundings } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'

/** The triggers of the second table. */
export const severalTriggers = 10
const rows = 5000
const rounds = 5

export interface CaptureResult {
  /** Microseconds per row, without triggers, with one, and with several. */
  readonly none: number
  readonly one: number
  readonly several: number
}

/** The target: each further trigger costs about a third of the first. */
export const captureTarget = 4

/** The tables take turns, so that other load of the machine affects all of them. */
async function measureTables(client: pg.Client): Promise<CaptureResult> {
  const times = { none: [] as number[], one: [] as number[], several: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const table of ['none', 'one', 'several'] as const) {
      const started = performance.now()
      await client.query(`insert into ${table} (name, amount) select 'row ' || n, n from generate_series(1, $1) n`, [
        rows,
      ])
      times[table].push(((performance.now() - started) * 1000) / rows)
      await client.query('truncate trellis.event_log')
    }
  }
  return { none: median(times.none), one: median(times.one), several: median(times.several) }
}

/** Measures over a separate database, without deliveries. */
export async function measureCapture(serverUrl: string, surroundings: Surroundings): Promise<CaptureResult> {
  const databaseUrl = await makeDatabase(serverUrl, 'capture')
  const trellis = await startTrellis(['--database-url', databaseUrl, '--events-fetch-batch-size', '0'], surroundings)
  const result = await withClient(databaseUrl, async (client) => {
    const columns = 'id serial primary key, name text, amount numeric, at timestamptz default now()'
    const numberOf = { none: 0, one: 1, several: severalTriggers }
    for (const [table, count] of Object.entries(numberOf)) {
      await client.query(`create table ${table} (${columns})`)
      await operate(trellis.port, 'track_table', table)
      for (let i = 0; i < count; i++) {
        const args = { name: `${table}_${i}`, table, insert: { columns: '*' }, webhook: 'http://127.0.0.1:9' }
        await operate(trellis.port, 'create_event_trigger', args)
      }
    }
    return measureTables(client)
  })
  await trellis.stop()
  return result
}
