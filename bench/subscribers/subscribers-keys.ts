// The cost of a change while each subscriber reads another row: with `--live-queries changes` only the subscribers of
// the changed row are polled. Another program makes the changes by plain SQL, and nothing else runs. The processor time
// is that of the server alone, without its time while nothing is written.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { millis, orNone, table, times, whole } from '../report.ts'
import { withClient } from '../support/database.ts'
import { median } from '../support/median.ts'
import type { Surroundings } from '../support/processes.ts'
import { measureIdle, measureRound, openSubscribers, type SubscriberRound, startServer } from './subscribers.ts'

/** By primary key, and by a column that is part of the replica identity. */
const queries = {
  key: 'subscription ($group: Int!) { measured(where: {id: {_eq: $group}}) { n id label } }',
  identity: 'subscription ($group: Int!) { measured(where: {grp: {_eq: $group}}) { n id label } }',
} as const

const scenarios = [
  { subscribers: 1000, by: 'key' },
  { subscribers: 10_000, by: 'key' },
  { subscribers: 1000, by: 'identity' },
] as const

/** Milliseconds of processor time for each change, and from commit to message. */
const [cpuTarget, p50Target] = [2, 15]

const firstId = 2001

const moreRows = `insert into measured select i, i, 0, 'label ' || i from generate_series(${firstId}, ${firstId + 9999}) as i;
  create unique index measured_identity on measured (grp, id);
  alter table measured replica identity using index measured_identity;
  vacuum analyze measured`

export interface KeyedResult {
  readonly subscribers: number
  readonly by: keyof typeof queries
  readonly rounds: readonly SubscriberRound[]
  readonly idleCpuPercent: number | null
  /** Milliseconds of processor time for each change, without the server's time while nothing is written. */
  readonly cpu: number | null
}

const settlingSeconds = 8

/**
 * Processor time is reported in steps of 10 ms. With a round of this length, the result is exact to tenths of a
 * millisecond per change.
 */
const leastSeconds = 6

/** Measures each scenario on a separate server. */
export async function measureKeyedSubscribers(
  { rounds, seconds: given }: { readonly rounds: number; readonly seconds: number },
  serverUrl: string,
  surroundings: Surroundings,
): Promise<KeyedResult[]> {
  const watcher = new pg.Client({ connectionString: serverUrl })
  await watcher.connect()
  surroundings.scope.defer(() => watcher.end().catch(() => {}))
  const results: KeyedResult[] = []
  const seconds = Math.max(given, leastSeconds)
  for (const { subscribers, by } of scenarios) {
    const contender = await startServer(serverUrl, 'changes', surroundings)
    await withClient(contender.url, async (client) => {
      const statements = by === 'identity' ? moreRows.split(';') : moreRows.split(';').slice(0, 1)
      for (const statement of statements) await client.query(statement)
    })
    const groups = Array.from({ length: subscribers }, (_, i) => firstId + i)
    const sockets = await openSubscribers(contender.port, { subscribers, groups, query: queries[by] })
    await sleep(settlingSeconds * 1000)
    const idle = await measureIdle(contender, watcher)
    const scenario = { name: by, title: by, subscribers, groups, p99: null }
    const measured: SubscriberRound[] = []
    const subscribed = { contender, sockets, bytesPerSubscriber: null }
    const options = { scenario, seconds, watcher, asks: false }
    // V8 compiles code after some hundred runs. Compiling costs more than the changes.
    await measureRound(subscribed, { ...options, rate: warmUpRate })
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(subscribed, options))
    const whiles = (idle.cpuPercent ?? 0) * 10 * (seconds + roundOverhead)
    const costs = measured.map(({ cpu, messages }) => (cpu === null ? null : (cpu * messages) / 1000 - whiles))
    const changes = seconds * 10
    const cpu = costs.every((cost) => cost !== null) ? median(costs) / changes : null
    results.push({ subscribers, by, rounds: measured, idleCpuPercent: idle.cpuPercent, cpu })
    for (const socket of sockets) socket.close()
    await contender.program.stop()
  }
  await watcher.end()
  return results
}

/** Changes per second of the first round. */
const warmUpRate = 100

/** Seconds of a round before and after its changes. */
const roundOverhead = 1.5

/** All scenarios. */
export const keyedReport = (results: readonly KeyedResult[]): string =>
  [
    `A change while each subscriber asks for another row (targets <= ${cpuTarget} ms CPU, p50 <= ${p50Target} ms)`,
    table([
      ['', 'subscribers', 'messages', 'p50 ms', 'p99 ms', 'ms CPU / change', 'idle CPU %'],
      ...results.map(({ subscribers, by, rounds, cpu, idleCpuPercent }) => [
        by,
        whole(subscribers),
        whole(median(rounds.map(({ messages }) => messages))),
        millis(median(rounds.map(({ p50 }) => p50))),
        millis(median(rounds.map(({ p99 }) => p99))),
        orNone(cpu, times),
        orNone(idleCpuPercent, times),
      ]),
    ]),
  ].join('\n')
