// Subscribers of live queries: the time from a commit to the message, and the cost while nothing is written. The
// processor time of a message is compared with that of a bare server that sends the same bytes.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { makeDatabase, withClient } from '../support/database.ts'
import { cpuSeconds, type Program, residentBytes, type Surroundings, startProgram } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'
import { type SubscriberProtocol, SubscriberSocket } from './subscriber-socket.ts'
import { type Changes, clock, type WriterReport } from './subscribers-writer.ts'

/** Subscribers of a scenario. */
export interface SubscriberScenario {
  readonly name: string
  readonly title: string
  readonly subscribers: number
  /** Groups of rows; each subscriber reads one. */
  readonly groups: readonly number[]
  /** Milliseconds from commit to message that the 99th percentile of `changes` may take; null: no target. */
  readonly p99: number | null
}

export const onlyGroup = 0
/** Each of one row. */
export const smallGroups = Array.from({ length: 1000 }, (_, i) => 1001 + i)

export const subscriberScenarios: readonly SubscriberScenario[] = [
  {
    ...{ name: 'subscribers-1000', title: '1,000 on one value of 100 rows' },
    ...{ subscribers: 1000, groups: [onlyGroup], p99: 100 },
  },
  {
    ...{ name: 'subscribers-5000', title: '5,000 on one value of 100 rows' },
    ...{ subscribers: 5000, groups: [onlyGroup], p99: 250 },
  },
  {
    ...{ name: 'subscribers-values', title: '1,000 on 1,000 values of one row' },
    ...{ subscribers: 1000, groups: smallGroups, p99: null },
  },
]

export interface SubscriberRound {
  readonly messages: number
  /** Milliseconds from commit to message. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of processor time of the server for each message. */
  readonly cpu: number | null
  /** Transactions of the database, without those that change rows. */
  readonly transactionsPerSecond: number
  /** Milliseconds of a small request over HTTP meanwhile; null: the server does not answer such requests. */
  readonly asked99: number | null
}

/** The results of one server. */
export interface SubscriberResult {
  readonly server: string
  readonly rounds: readonly SubscriberRound[]
  readonly idle: { readonly transactionsPerSecond: number; readonly cpuPercent: number | null } | null
  readonly bytesPerSubscriber: number | null
}

export interface SubscriberOptions {
  readonly rounds: number
  /** The changes of a round. */
  readonly seconds: number
}

const perSecond = 10
const idleSeconds = 5

/** Milliseconds after the last change in which messages may still arrive. */
const afterwards = 1500

const measuredQuery =
  'subscription ($group: Int!) { measured(where: {grp: {_eq: $group}}, order_by: {id: asc}) { n id label } }'

const limitStatement = `select '{"data":{"measured":[' || string_agg('{"n":' || n || ',"id":' || id || ',"label":' ||
  to_json(label)::text || '}', ',' order by id) || ']}}' as answer from measured where grp = $1`

export const measuredTable = `
  drop table if exists measured;
  create table measured (id int primary key, grp int not null, n int not null, label text not null);
  create index on measured (grp, id);
  insert into measured select i, (i - 1) / 100, 0, 'label ' || i from generate_series(1, 100) as i;
  insert into measured select i, i, 0, 'label ' || i from generate_series(1001, 2000) as i;
  vacuum analyze measured`

/** A server with a separate database, which writes for other servers do not affect. */
interface Contender {
  readonly name: string
  readonly program: Program
  readonly port: number
  readonly database: string
  readonly url: string
  /** Called after each commit. */
  changed(group: number): void
  readonly isLimit: boolean
}

/** A server with subscribers. */
interface Subscribed {
  readonly contender: Contender
  readonly sockets: readonly SubscriberSocket[]
  readonly bytesPerSubscriber: number | null
}

/** Measures all servers under one scenario, round after round in turn. */
export async function measureSubscribers(
  scenario: SubscriberScenario,
  { rounds, seconds }: SubscriberOptions,
  serverUrl: string,
  surroundings: Surroundings,
): Promise<SubscriberResult[]> {
  const contenders = [
    await startLimit(serverUrl, surroundings),
    await startServer(serverUrl, 'poll', surroundings),
    await startServer(serverUrl, 'changes', surroundings),
  ]
  // Observes from a database whose transactions are not counted.
  const watcher = new pg.Client({ connectionString: serverUrl })
  await watcher.connect()
  surroundings.scope.defer(() => watcher.end().catch(() => {}))
  const subscribed: Subscribed[] = []
  for (const contender of contenders) subscribed.push(await subscribe(contender, scenario))
  await sleep(1000)
  const idle: SubscriberResult['idle'][] = []
  for (const { isLimit, ...contender } of contenders) {
    idle.push(isLimit ? null : await measureIdle(contender, watcher))
  }
  const measured = contenders.map((): SubscriberRound[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, one] of subscribed.entries()) {
      measured[i]!.push(await measureRound(one, { scenario, seconds, watcher }))
    }
  }
  for (const { sockets, contender } of subscribed) {
    for (const socket of sockets) socket.close()
    await contender.program.stop()
  }
  await watcher.end()
  return subscribed.map(({ contender, bytesPerSubscriber }, i) => ({
    ...{ server: contender.name, rounds: measured[i]!, idle: idle[i]!, bytesPerSubscriber },
  }))
}

async function measuredDatabase(serverUrl: string, database: string): Promise<string> {
  const url = await makeDatabase(serverUrl, database)
  await withClient(url, async (client) => {
    for (const statement of measuredTable.split(';')) await client.query(statement)
  })
  return url
}

async function startLimit(serverUrl: string, surroundings: Surroundings): Promise<Contender> {
  const database = 'subscribers_limit'
  const url = await measuredDatabase(serverUrl, database)
  const file = new URL('./subscribers-limit.ts', import.meta.url)
  const program = startProgram(file, [url, limitStatement], surroundings, 'ipc')
  const [port] = (await once(program.child, 'message')) as [number]
  const changed = (group: number) => program.child.send(group)
  return { name: 'limit', program, port, database, url, changed, isLimit: true }
}

/** Starts a server with the table, over a separate database. */
export async function startServer(serverUrl: string, mode: string, surroundings: Surroundings): Promise<Contender> {
  const database = `subscribers_${mode}`
  const url = await measuredDatabase(serverUrl, database)
  const program = await startTrellis(['--database-url', url, '--live-queries', mode], surroundings)
  await operate(program.port, 'track_table', 'measured')
  return { name: mode, program, port: program.port, database, url, changed: () => {}, isLimit: false }
}

async function subscribe(contender: Contender, { subscribers, groups }: SubscriberScenario): Promise<Subscribed> {
  const { program, port } = contender
  const before = residentBytes(program.pid)
  const sockets = await openSubscribers(port, { subscribers, groups })
  const after = residentBytes(program.pid)
  const bytesPerSubscriber = before === null || after === null ? null : (after - before) / subscribers
  return { contender, sockets, bytesPerSubscriber }
}

interface Subscribers extends Pick<SubscriberScenario, 'subscribers' | 'groups'> {
  readonly protocol?: SubscriberProtocol
  readonly query?: string
}

/** Connects subscribers; resolves when each has its first answer. */
export async function openSubscribers(
  port: number,
  { subscribers, groups, protocol = 'graphql-transport-ws', query = measuredQuery }: Subscribers,
): Promise<SubscriberSocket[]> {
  const sockets: SubscriberSocket[] = []
  const open = (i: number) =>
    SubscriberSocket.open({ port, protocol, query, variables: { group: groups[i % groups.length] } })
  for (let i = 0; i < subscribers; i += 100) {
    const some = Array.from({ length: Math.min(100, subscribers - i) }, (_, j) => open(i + j))
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

/** The activity of a server while nothing is written. */
export async function measureIdle(
  { program, database }: Pick<Contender, 'program' | 'database'>,
  watcher: pg.Client,
  seconds = idleSeconds,
): Promise<NonNullable<SubscriberResult['idle']>> {
  const [transactions, cpu] = [await transactionsOf(watcher, database), cpuSeconds(program.pid)]
  const started = performance.now()
  await sleep(seconds * 1000)
  const used = cpuSeconds(program.pid)
  const passed = (performance.now() - started) / 1000
  const ran = (await transactionsOf(watcher, database)) - transactions
  const cpuPercent = cpu === null || used === null ? null : ((used - cpu) / passed) * 100
  // Backends report late, equally at the beginning and at the end.
  return { transactionsPerSecond: ran / (passed + reportMillis / 1000), cpuPercent }
}

/** Idle backends report their work at most once a second. */
const reportMillis = 1100

async function transactionsOf(watcher: pg.Client, database: string): Promise<number> {
  await sleep(reportMillis)
  const count = 'select xact_commit as n from pg_stat_database where datname = $1'
  const { rows } = await watcher.query<{ n: string }>(count, [database])
  return Number(rows[0]!.n)
}

interface RoundOptions {
  readonly scenario: SubscriberScenario
  readonly seconds: number
  readonly watcher: pg.Client
  /** Whether to send requests over HTTP meanwhile; absent: yes. */
  readonly asks?: boolean
  /** Changes per second; absent: ten. */
  readonly rate?: number
}

let lastNumber = 0

/** Changes rows for a while, and measures the messages. */
export async function measureRound(
  { contender, sockets }: Subscribed,
  options: RoundOptions,
): Promise<SubscriberRound> {
  const { program, database, url, isLimit } = contender
  const { scenario, seconds, watcher, asks = true, rate = perSecond } = options
  const numbers: number[] = []
  const times: number[] = []
  const listener = (n: number) => {
    numbers.push(n)
    times.push(clock())
  }
  for (const socket of sockets) socket.listen(listener)
  const [transactions, cpu] = [await transactionsOf(watcher, database), cpuSeconds(program.pid)]
  const from = lastNumber + 1
  const changes = {
    url,
    port: isLimit || !asks ? null : contender.port,
    seconds,
    perSecond: rate,
    groups: scenario.groups,
    from,
  }
  lastNumber += seconds * rate
  const { committed, asked } = await change(changes, contender)
  await sleep(afterwards)
  const used = cpuSeconds(program.pid)
  const ran = (await transactionsOf(watcher, database)) - transactions - seconds * rate
  const latencies = times.map((at, i) => at - (committed.get(numbers[i]!) ?? Number.NaN)).filter((wait) => wait >= 0)
  const messages = times.length
  return {
    ...{ messages, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
    cpu: cpu === null || used === null ? null : ((used - cpu) / messages) * 1e6,
    transactionsPerSecond: ran / (seconds + (afterwards + reportMillis) / 1000),
    asked99: asked.length === 0 ? null : quantile(asked, 0.99),
  }
}

/** Changes rows; returns the commit time of each change, and the times of requests. */
async function change(changes: Changes, { changed }: Contender) {
  const committed = new Map<number, number>()
  const worker = new Worker(new URL('./subscribers-writer.ts', import.meta.url))
  const done = new Promise<readonly number[]>((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (told: WriterReport) => {
      if ('done' in told) return resolve(told.done)
      committed.set(told.committed, told.at)
      changed(told.group)
    })
  })
  worker.postMessage(changes)
  const asked = await done
  await worker.terminate()
  return { committed, asked }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
