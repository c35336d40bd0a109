// Event triggers: deliveries per second, the delay after the commit, and the cost of recording a change.

import type pg from 'pg'
import { watchLog } from '../../plugins/event-triggers/ledger/ledger-statements.ts'
import { type Database, makeDatabase, withClient } from '../support/database.ts'
import { median } from '../support/median.ts'
import { cpuSeconds, cpuSecondsWithChildren, type Surroundings, startProgram } from '../support/processes.ts'
import { operate, startTrellis, type Trellis } from '../support/trellis.ts'
import { type Queue, queueKinds, startQueue } from './delivery-queues.ts'
import { fillLog, type IdleCost, measureIdle, measureOneOffs, queryP99 } from './delivery-sizes.ts'
import type { Jobs, QueueKind } from './queue-worker.ts'
import { message, startWebhook, type Webhook } from './webhook.ts'

export interface DeliveriesResult {
  readonly bursts: readonly BurstRound[]
  /** Milliseconds from the commit to the webhook at {@link steadyRate}. */
  readonly p50: number
  readonly p99: number
  /** The time of inserts into a table with a trigger, as a multiple of one without. */
  readonly insertCost: number
  readonly idle: IdleCost
  /** The delay in milliseconds of one-off events that are all due at once. */
  readonly oneOffP99: number
  /** The same with a log of many delivered events, as a multiple of the time without. */
  readonly full: { readonly rate: number; readonly queryP99: number }
}

/** Deliveries or jobs per second of one burst each. */
export interface BurstRound {
  readonly rate: number
  /** Microseconds of processor time per delivery. */
  readonly cpu: { readonly server: number; readonly postgres: number }
  /** The same for a bare loop that posts the same bytes with the same concurrency and records nothing. */
  readonly bareRate: number
  /** The same for a program that has just started. */
  readonly freshBareRate: number
  readonly queueRates: ReadonlyMap<QueueKind, number>
}

export const burst = 10_000
export const steadyRate = 200
const steadySeconds = 5
const burstRounds = 3
/** Bursts of each before the measurement, also of the bare loop. */
const warmUps = 6
const insertRounds = 3
const insertsPerRound = 2000

/** The targets of deliveries. */
export const deliveryTargets = {
  ofBare: 0.5,
  rate: 3000,
  p99: 100,
  insertCost: 1.5,
  ofFull: 1.2,
  statements: 1,
  oneOffP99: 3000,
}

/** Measures over databases of its own. */
export async function measureDeliveries(server: Database, surroundings: Surroundings): Promise<DeliveriesResult> {
  const webhook = await startWebhook(surroundings)
  const databaseUrl = await makeDatabase(server.url, 'deliveries')
  const trellis = await startTrellis(['--database-url', databaseUrl], surroundings)
  const bare = await startBareLoop(webhook, surroundings)
  const result = await withClient(databaseUrl, async (client) => {
    const columns = 'id serial primary key, name text, amount numeric, at timestamptz default now()'
    await client.query(`create table told (${columns}); create table untold (${columns})`)
    await operate(trellis.port, 'track_table', 'told')
    const args = { name: 'told', table: 'told', insert: { columns: '*' }, webhook: webhook.url }
    await operate(trellis.port, 'create_event_trigger', args)
    const parts = { client, webhook, trellis, bare, postmaster: server.postmaster }
    const bursts = await measureBursts(parts, server.url, surroundings)
    const steady = await deliverSteadily(client, webhook)
    const idle = await measureIdle(client)
    const oneOffP99 = await measureOneOffs(trellis, client, webhook)
    const full = await measureFullLog(parts, bursts)
    // Recording costs the same with any receiver, and a receiver would take processor time.
    await trellis.stop()
    return { bursts, ...steady, idle, oneOffP99, full, insertCost: await measureInserts(client) }
  })
  await bare.stop()
  await webhook.stop()
  return result
}

/** The tables take turns, so that other load of the machine affects all of them. */
async function measureBursts(parts: Parts, serverUrl: string, surroundings: Surroundings): Promise<BurstRound[]> {
  const { webhook, bare } = parts
  let body = ''
  for (let round = 0; round < warmUps; round++) body = (await deliver(burst, parts)).sample
  const jobs = { count: burst, body }
  const queues: Queue[] = []
  for (const kind of queueKinds) queues.push(await startQueue(kind, { serverUrl, webhook, surroundings }))
  for (const queue of queues) {
    for (let round = 0; round < warmUps; round++) await queue.burst(jobs)
  }
  for (let round = 0; round < warmUps; round++) await bare.burst(jobs)
  const rounds: BurstRound[] = []
  for (let round = 0; round < burstRounds; round++) {
    const { rate, cpu } = await deliver(burst, parts)
    const bareRate = await bare.burst(jobs)
    const fresh = await startBareLoop(webhook, surroundings)
    const freshBareRate = await fresh.burst(jobs)
    await fresh.stop()
    const queueRates = new Map<QueueKind, number>()
    for (const queue of queues) queueRates.set(queue.kind, await queue.burst(jobs))
    rounds.push({ rate, cpu, bareRate, freshBareRate, queueRates })
  }
  for (const queue of queues) await queue.stop()
  return rounds
}

/** Rates are divided by those of the bare loop in the same moments, so that a drift of the machine does not count. */
async function measureFullLog(parts: Parts, before: readonly BurstRound[]): Promise<DeliveriesResult['full']> {
  const { client, trellis, bare } = parts
  const queriesBefore = await queryP99(trellis.port)
  await fillLog(client)
  await deliver(burst, parts)
  const after: number[] = []
  for (let round = 0; round < burstRounds; round++) {
    const { rate, sample } = await deliver(burst, parts)
    after.push(rate / (await bare.burst({ count: burst, body: sample })))
  }
  const rate = median(after) / median(before.map((round) => round.rate / round.bareRate))
  return { rate, queryP99: (await queryP99(trellis.port)) / queriesBefore }
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

interface Parts {
  readonly client: pg.Client
  readonly webhook: Webhook
  readonly trellis: Trellis
  readonly bare: BareLoop
  readonly postmaster: number
}

async function deliver(count: number, { client, webhook, trellis, postmaster }: Parts) {
  const cpuNow = () => ({ server: cpuSeconds(trellis.pid), postgres: cpuSecondsWithChildren(postmaster) })
  await webhook.take()
  await client.query(`insert into told (name, amount) select 'row ' || n, n from generate_series(1, $1) n`, [count])
  const started = Date.now()
  const before = cpuNow()
  // Asking the database during the measurement would cost processor time.
  const { last, sample } = await webhook.takeAll(count)
  await settled(client)
  const after = cpuNow()
  const spent = (of: 'server' | 'postgres') => (((after[of] ?? Number.NaN) - (before[of] ?? Number.NaN)) * 1e6) / count
  return {
    rate: (count * 1000) / (last - started),
    sample,
    cpu: { server: spent('server'), postgres: spent('postgres') },
  }
}

async function deliverSteadily(client: pg.Client, webhook: Webhook): Promise<{ p50: number; p99: number }> {
  await webhook.take()
  const started = performance.now()
  for (let i = 0; i < steadyRate * steadySeconds; i++) {
    const wait = started + (i * 1000) / steadyRate - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    await client.query(`insert into told (name, amount) values ('row', $1)`, [i])
  }
  await settled(client)
  const { late } = await webhook.take()
  const at = (part: number) => late[Math.floor(late.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** More time than a round of inserts takes. */
const watchedMillis = 9000

/**
 * The tables take turns; each insert is a transaction. The log counts as watched, as it would be by an instance that
 * finds as many events.
 */
async function measureInserts(client: pg.Client): Promise<number> {
  const times = { told: 0, untold: 0 }
  for (let round = 0; round < insertRounds; round++) {
    await client.query(watchLog, [watchedMillis])
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

interface BareLoop {
  /** Posts per second of one burst. */
  burst(jobs: Jobs): Promise<number>
  stop(): Promise<void>
}

const bareLoopFile = new URL('./bare-loop.ts', import.meta.url)

async function startBareLoop(webhook: Webhook, surroundings: Surroundings): Promise<BareLoop> {
  const program = startProgram(bareLoopFile, [webhook.url], surroundings, 'ipc')
  await message(program)
  const burst = (jobs: Jobs) => {
    const rate = message<number>(program)
    program.child.send(jobs)
    return rate
  }
  return { burst, stop: program.stop }
}
