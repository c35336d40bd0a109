// One worker beside two: the gain of a second processor, with PostgreSQL and the load on the same machine.

import { setTimeout as sleep } from 'node:timers/promises'
import { times, whole } from '../report.ts'
import { trackByPrimaryKey } from '../requests/workloads.ts'
import { chinookMetadata } from '../support/chinook.ts'
import { type LoadOptions, type LoadResult, requestBytes, runLoad } from '../support/load.ts'
import { median } from '../support/median.ts'
import { cpuSecondsWithChildren, type Surroundings } from '../support/processes.ts'
import { operate, startTrellis, type Trellis } from '../support/trellis.ts'

/** The name of the part. */
export const workersName = 'workers'

/** The gain of the second worker where PostgreSQL has nothing to do. */
const targetGain = 1.7

const path = '/v1/graphql'

const asked = Array.from({ length: 20 }, (_, i) => `t${i}: __type(name: "track") { name }`).join(' ')

/** Documents that the server reads, checks, plans and answers by itself, and whose answers are small. */
const introspections = Array.from({ length: 500 }, (_, i) => requestBytes(path, { query: `query Q${i} { ${asked} }` }))

const tracks = Array.from({ length: 2_000 }, (_, i) => requestBytes(path, trackByPrimaryKey.request(i)))

const kinds = [
  {
    title: 'documents that are planned each time and need no database',
    requests: introspections,
    target: targetGain,
    more: ['--query-plan-cache-size', '0'],
  },
  { title: `W1, ${trackByPrimaryKey.title}`, requests: tracks, target: null, more: [] },
]

interface Place {
  readonly databaseUrl: string
  readonly surroundings: Surroundings
  /** Further options. */
  readonly more: readonly string[]
}

interface WorkersOptions {
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
}

/**
 * Measures both in turn, and reports throughput, 99th percentile and gain. The processor time of a request tells the
 * gain of a machine whose processors the load and PostgreSQL leave free.
 */
export async function measureWorkers(
  databaseUrl: string,
  { connections, rounds, seconds }: WorkersOptions,
  surroundings: Surroundings,
): Promise<string> {
  const lines: string[] = []
  for (const { title, requests, target, more } of kinds) {
    const one = await startWorkers(1, { databaseUrl, surroundings, more })
    await operate(one.port, 'replace_metadata', chinookMetadata)
    const two = await startWorkers(2, { databaseUrl, surroundings, more })
    const results: (readonly [Round, Round])[] = []
    const load = (server: Trellis, length = seconds) => measureRound(server, requests, { connections, seconds: length })
    for (const server of [one, two]) await load(server, 3)
    for (let round = 0; round < rounds; round++) results.push([await load(one), await load(two)])
    lines.push(lineOf(title, results, target))
    for (const { stop } of [one, two]) await stop()
  }
  return lines.join('\n')
}

/** Starts a server; waits until all its workers serve. */
async function startWorkers(count: number, { databaseUrl, surroundings, more }: Place): Promise<Trellis> {
  const args = ['--database-url', databaseUrl, '--workers', String(count), ...more]
  const server = await startTrellis(args, surroundings)
  while (!server.errors().includes('Listening')) await sleep(20)
  return server
}

/** A round, with the microseconds of processor time per request of all processes of the server. */
interface Round extends LoadResult {
  readonly cpu: number
}

async function measureRound({ port, pid }: Trellis, requests: readonly Buffer[], options: LoadOptions): Promise<Round> {
  const before = cpuSecondsWithChildren(pid) ?? Number.NaN
  const result = await runLoad({ port, requests }, options)
  return { ...result, cpu: (((cpuSecondsWithChildren(pid) ?? Number.NaN) - before) * 1e6) / result.requests }
}

const rate = ({ requests, seconds }: LoadResult): number => requests / seconds

function lineOf(title: string, results: readonly (readonly [Round, Round])[], target: number | null): string {
  const gain = median(results.map(([one, two]) => rate(two) / rate(one)))
  const figures = ([0, 1] as const).map((at) => {
    const p99 = median(results.map((round) => round[at].p99)).toFixed(1)
    return `${at + 1} worker${at === 0 ? '' : 's'} ${whole(median(results.map((round) => rate(round[at]))))}/s, p99 ${p99} ms, ${whole(median(results.map((round) => round[at].cpu)))} µs of processor time`
  })
  const aim = target === null ? '' : ` (target ≥ ${times(target)}${gain >= target ? '' : ', missed'})`
  return `${title}: ${figures.join('; ')}; gain ${times(gain)}${aim}`
}
