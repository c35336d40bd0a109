// Event triggers: how many deliveries a second, how long after the commit, and what recording costs a change.

import type pg from 'pg'
import { Pool } from 'undici'
import { withClient } from './database.ts'
import { type Program, type Surroundings, startProgram } from './processes.ts'
import { operate, startTrellis } from './trellis.ts'
import type { Received } from './webhook-receiver.ts'

export interface DeliveriesResult {
  /** Deliveries per second of one burst. */
  readonly rate: number
  /** Of a bare loop that posts the same bytes with the same concurrency and records nothing. */
  readonly bareRate: number
  /** Milliseconds from the commit to the webhook at {@link steadyRate}. */
  readonly p50: number
  readonly p99: number
  /** The time of inserts into a table with a trigger, as a multiple of one without. */
  readonly insertCost: number
}

export const burst = 10_000
export const steadyRate = 200
const steadySeconds = 5
const concurrency = 100
const insertRounds = 3
const insertsPerRound = 2000

/** What is to be reached. */
export const deliveryTargets = { ofBare: 0.5, p99: 100, insertCost: 1.5 }

const receiverFile = new URL('./webhook-receiver.ts', import.meta.url)

interface Receiver extends Program {
  readonly url: string
  /** What came since this was called before. */
  take(): Promise<Received>
}

const message = <T>({ child }: Program) => new Promise<T>((done) => child.once('message', (sent) => done(sent as T)))

async function startReceiver(surroundings: Surroundings): Promise<Receiver> {
  const program = startProgram(receiverFile, [], surroundings, 'ipc')
  const port = await message<number>(program)
  return {
    ...program,
    url: `http://127.0.0.1:${port}`,
    take() {
      const taken = message<Received>(program)
      program.child.send({})
      return taken
    },
  }
}

/** Measures over a database of its own. */
export async function measureDeliveries(databaseUrl: string, surroundings: Surroundings): Promise<DeliveriesResult> {
  const receiver = await startReceiver(surroundings)
  const trellis = await startTrellis(['--database-url', databaseUrl], surroundings)
  const result = await withClient(databaseUrl, async (client) => {
    const columns = 'id serial primary key, name text, amount numeric, at timestamptz default now()'
    await client.query(`create table told (${columns}); create table untold (${columns})`)
    await operate(trellis.port, 'track_table', 'told')
    const args = { name: 'told', table: 'told', insert: { columns: '*' }, webhook: receiver.url }
    await operate(trellis.port, 'create_event_trigger', args)
    await deliver(500, client, receiver)
    const { rate, sample } = await deliver(burst, client, receiver)
    const steady = await deliverSteadily(client, receiver)
    // What is recorded costs the same whoever delivers it, who would only take the processors away.
    await trellis.stop()
    return { rate, ...steady, insertCost: await measureInserts(client), sample }
  })
  const { sample, ...measured } = result
  const bareRate = await measureBare(receiver, sample)
  await receiver.stop()
  return { ...measured, bareRate }
}

const pending = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query(
    'select count(*)::int as n from trellis.event_log where not delivered and not error and not archived',
  )
  return rows[0].n
}

async function settled(client: pg.Client): Promise<void> {
  while ((await pending(client)) > 0) await new Promise((done) => setTimeout(done, 50))
}

async function deliver(count: number, client: pg.Client, receiver: Receiver) {
  await receiver.take()
  await client.query(`insert into told (name, amount) select 'row ' || n, n from generate_series(1, $1) n`, [count])
  const started = Date.now()
  await settled(client)
  const { last, sample } = await receiver.take()
  return { rate: (count * 1000) / (last - started), sample }
}

async function deliverSteadily(client: pg.Client, receiver: Receiver): Promise<{ p50: number; p99: number }> {
  await receiver.take()
  const started = performance.now()
  for (let i = 0; i < steadyRate * steadySeconds; i++) {
    const wait = started + (i * 1000) / steadyRate - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    await client.query(`insert into told (name, amount) values ('row', $1)`, [i])
  }
  await settled(client)
  const { late } = await receiver.take()
  const at = (part: number) => late[Math.floor(late.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** In turns, each insert a transaction. */
async function measureInserts(client: pg.Client): Promise<number> {
  const times = { told: 0, untold: 0 }
  for (let round = 0; round < insertRounds; round++) {
    for (const table of ['untold', 'told'] as const) {
      const started = performance.now()
      for (let i = 0; i < insertsPerRound; i++) {
        await client.query({ name: table, text: `insert into ${table} (name, amount) values ('row', $1)`, values: [i] })
      }
      times[table] += performance.now() - started
    }
  }
  return times.told / times.untold
}

async function measureBare(receiver: Receiver, body: string): Promise<number> {
  const pool = new Pool(receiver.url, { connections: concurrency })
  let left = burst
  const work = async () => {
    while (left-- > 0) {
      const answer = await pool.request({
        path: '/',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await answer.body.dump()
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: concurrency }, work))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  return burst / seconds
}
