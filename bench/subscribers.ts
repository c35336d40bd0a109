// Subscribers of live queries: the time from a commit to the message, and the processor time of a message, beside a bare
// server that sends the same bytes; what they cost while nothing is written.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { WebSocket } from 'ws'
import { makeDatabase } from './database.ts'
import { cpuSeconds, type Program, residentBytes, type Surroundings, startProgram } from './processes.ts'
import { operate, startTrellis } from './trellis.ts'

/** Subscribers of a scenario. */
export interface SubscriberScenario {
  readonly name: string
  readonly subscribers: number
  /** Rows of a group; each subscriber asks for one group. */
  readonly rows: number
  /** Groups that are asked for. */
  readonly groups: number
}

export const subscriberScenarios: readonly SubscriberScenario[] = [
  { name: '1,000 on one value of 100 rows', subscribers: 1000, rows: 100, groups: 1 },
  { name: '5,000 on one value of 100 rows', subscribers: 5000, rows: 100, groups: 1 },
  { name: '1,000 on 1,000 values of one row', subscribers: 1000, rows: 1, groups: 1000 },
]

export interface SubscriberResult {
  readonly scenario: string
  readonly server: string
  readonly messages: number
  /** Milliseconds from commit to message. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of processor time of the server for each message. */
  readonly cpu: number | null
  /** Of the whole PostgreSQL, while rows change and while nothing does. */
  readonly transactionsPerSecond: number
  readonly idle: { readonly transactionsPerSecond: number; readonly cpuPercent: number | null } | null
  readonly bytesPerSubscriber: number | null
}

const changesPerSecond = 10
const seconds = 5
const idleSeconds = 5

/** No value is written twice: what stays the same is not sent. */
let lastValue = 0

const query =
  'subscription ($group: Int!) { measured(where: {grp: {_eq: $group}}, order_by: {id: asc}) { n id label } }'

const limitStatement = `select '{"data":{"measured":[' || string_agg('{"n":' || n || ',"id":' || id || ',"label":' ||
  to_json(label)::text || '}', ',' order by id) || ']}}' as answer from measured where grp = $1`

const tableSql = `
  drop table if exists measured;
  create table measured (id int primary key, grp int not null, n int not null, label text not null);
  create index on measured (grp, id);
  insert into measured select i, (i - 1) / 100, 0, 'label ' || i from generate_series(1, 100) as i;
  insert into measured select i, i, 0, 'label ' || i from generate_series(1001, 2000) as i;
  analyze measured`

/** A server with subscribers. */
interface Contender {
  readonly name: string
  readonly program: Program
  readonly port: number
  /** Told after each commit. */
  changed(group: number): void
}

export async function measureSubscribers(
  serverUrl: string,
  surroundings: Surroundings,
  onResult: (result: SubscriberResult) => void,
): Promise<void> {
  const url = await makeDatabase(serverUrl, 'subscribers')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  surroundings.scope.defer(() => client.end().catch(() => {}))
  await client.query(tableSql)
  for (const scenario of subscriberScenarios) {
    onResult(await measure(await startLimit(url, surroundings), scenario, client))
    for (const mode of ['poll', 'changes']) {
      onResult(await measure(await startServer(url, mode, surroundings), scenario, client))
    }
  }
  await client.end()
}

async function startLimit(url: string, surroundings: Surroundings): Promise<Contender> {
  const file = new URL('./subscribers-limit.ts', import.meta.url)
  const program = startProgram(file, [url, limitStatement], surroundings, 'ipc')
  const [port] = (await once(program.child, 'message')) as [number]
  return { name: 'limit', program, port, changed: (group) => program.child.send(group) }
}

async function startServer(url: string, mode: string, surroundings: Surroundings): Promise<Contender> {
  const program = await startTrellis(['--database-url', url, '--live-queries', mode], surroundings)
  await operate(program.port, 'clear_metadata', {})
  await operate(program.port, 'track_table', 'measured')
  return { name: `Trellis, ${mode}`, program, port: program.port, changed: () => {} }
}

async function measure(
  contender: Contender,
  scenario: SubscriberScenario,
  client: pg.Client,
): Promise<SubscriberResult> {
  const { program, name } = contender
  const before = residentBytes(program.pid)
  const subscribers = await Subscribers.connect(contender.port, scenario)
  const after = residentBytes(program.pid)
  await sleep(1000)
  const idle = name === 'limit' ? null : await measureIdle(program, client)
  const cpu = cpuSeconds(program.pid)
  const transactions = await transactionsOf(client)
  subscribers.begin()
  let changes = 0
  for (let turn = 0; turn < seconds * changesPerSecond; turn++) {
    const group = scenario.groups === 1 ? 0 : 1001 + (turn % scenario.groups)
    const i = ++lastValue
    const due = performance.now() + 1000 / changesPerSecond
    await client.query('update measured set n = $1 where id = (select min(id) from measured where grp = $2)', [
      i,
      group,
    ])
    subscribers.committed(i)
    contender.changed(group)
    changes++
    await sleep(Math.max(0, due - performance.now()))
  }
  await sleep(1500)
  const used = cpuSeconds(program.pid)
  const ran = (await transactionsOf(client)) - transactions
  const { latencies, messages } = subscribers
  subscribers.end()
  await program.stop()
  return {
    scenario: scenario.name,
    server: name,
    messages,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpu: cpu === null || used === null ? null : ((used - cpu) / messages) * 1e6,
    transactionsPerSecond: (ran - changes) / (seconds + 1.5),
    idle,
    bytesPerSubscriber: before === null || after === null ? null : (after - before) / scenario.subscribers,
  }
}

async function measureIdle(program: Program, client: pg.Client): Promise<SubscriberResult['idle']> {
  const [transactions, cpu] = [await transactionsOf(client), cpuSeconds(program.pid)]
  await sleep(idleSeconds * 1000)
  const used = cpuSeconds(program.pid)
  const ran = (await transactionsOf(client)) - transactions
  const cpuPercent = cpu === null || used === null ? null : ((used - cpu) / idleSeconds) * 100
  return { transactionsPerSecond: ran / idleSeconds, cpuPercent }
}

async function transactionsOf(client: pg.Client): Promise<number> {
  // Backends report what they did when they are idle, at most once a second.
  await sleep(1100)
  const { rows } = await client.query<{ n: string }>(
    'select xact_commit as n from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]!.n)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

const marker = Buffer.from('"n":')

class Subscribers {
  readonly #sockets: readonly WebSocket[]
  readonly #commits = new Map<number, number>()
  readonly latencies: number[] = []
  messages = 0

  private constructor(sockets: readonly WebSocket[]) {
    this.#sockets = sockets
  }

  /** Connects them; resolves when each has its first answer. */
  static async connect(port: number, { subscribers, groups }: SubscriberScenario): Promise<Subscribers> {
    const sockets: WebSocket[] = []
    for (let i = 0; i < subscribers; i += 100) {
      const some = Array.from({ length: Math.min(100, subscribers - i) }, (_, j) => {
        return subscribed(port, groups === 1 ? 0 : 1001 + i + j)
      })
      sockets.push(...(await Promise.all(some)))
    }
    return new Subscribers(sockets)
  }

  begin(): void {
    for (const socket of this.#sockets) {
      socket.on('message', (data: Buffer) => {
        const at = data.indexOf(marker)
        if (at < 0) return
        this.messages++
        const n = Number.parseInt(data.toString('latin1', at + marker.length, at + marker.length + 10), 10)
        const committed = this.#commits.get(n)
        this.latencies.push(committed === undefined ? 0 : performance.now() - committed)
      })
    }
  }

  committed(n: number): void {
    this.#commits.set(n, performance.now())
  }

  end(): void {
    for (const socket of this.#sockets) socket.terminate()
  }
}

async function subscribed(port: number, group: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/graphql`, ['graphql-ws'], { perMessageDeflate: false })
  await once(socket, 'open')
  socket.send('{"type":"connection_init","payload":{}}')
  socket.send(JSON.stringify({ type: 'start', id: '1', payload: { query, variables: { group } } }))
  await new Promise<void>((resolve) => {
    const first = (data: Buffer) => {
      if (data.indexOf(marker) < 0) return
      socket.off('message', first)
      resolve()
    }
    socket.on('message', first)
  })
  return socket
}
