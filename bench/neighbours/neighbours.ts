// The cost of requests for their neighbours. Each row is one entry of the list: requests that could delay each other.
// The bench sends them in turn to a standard server, and to the same server without sharing.

import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../support/database.ts'
import type { Surroundings } from '../support/processes.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import type { Figure, Neighbour } from './neighbour.ts'
import { shareNeighbours } from './neighbour-shares.ts'
import { slowWebhook } from './neighbour-triggers.ts'
import {
  changeMetadata,
  creditAccount,
  insertEvent,
  makeNeighbourWorld,
  napQuery,
  newName,
  runInserts,
  runSame,
  runShortReads,
  timeRequest,
} from './neighbour-world.ts'

/** The option that switches sharing off: each statement has a connection for itself. */
export const sharingOff: readonly string[] = ['--use-prepared-statements', 'false']

/** The pool that some rows fill; larger than the standard pool, so that its size is known. */
const connections = 50

const p99Ratio: Figure = { what: 'p99', unit: 'ms', over: 'median', compared: 'shared / off', target: { most: 1.5 } }

const repeat = <T>(times: number, make: (index: number) => T): T[] => Array.from({ length: times }, (_, i) => make(i))

const equalReads: Neighbour = {
  name: 'N1',
  title: '48 clients, a statement of 12 ms',
  figures: [
    { what: 'throughput', unit: '/s', over: 'median', compared: 'shared / off', target: { least: 0.95 } },
    p99Ratio,
  ],
  measure: async ({ trellis }) => {
    const { requests, seconds, p99 } = await runSame(trellis, napQuery(0.012, 'nap'), 48, 2)
    return [requests / seconds, p99]
  },
}

/** Slow reads begin before the short ones. */
const headStart = 300

/** Short reads of 32 clients beside the slow ones. */
async function shortReadsBeside(trellis: Trellis, slow: readonly unknown[], seconds: number) {
  const short = runShortReads(trellis, 32, seconds)
  const beside = sleep(headStart).then(() => Promise.all(slow.map((body) => timeRequest(trellis, body))))
  const [load] = await Promise.all([short, beside])
  return load
}

const newSlowReads: Neighbour = {
  name: 'N2',
  title: '32 clients of short reads, beside 5 new reads of 4 s',
  figures: [p99Ratio, { what: 'longest', unit: 'ms', over: 'worst', compared: 'shared', target: { most: 250 } }],
  measure: async ({ trellis }) => {
    const slow = repeat(5, () => napQuery(4, newName()))
    const { p99, longest } = await shortReadsBeside(trellis, slow, 5)
    return [p99, longest]
  },
}

/** Another session at another address, by a proxy's header. */
const client = (i: number) => ({ 'x-service-user-id': String(i), 'x-forwarded-for': `10.0.0.${i}` })

const fullPool: Neighbour = {
  name: 'N3',
  title: `${connections} reads of 2 s at once, each of another client, pool of ${connections}`,
  figures: [{ what: 'all done', unit: 'ms', over: 'worst', compared: 'shared', target: { most: 2500 } }],
  measure: async ({ trellis }) => {
    const body = napQuery(2, newName())
    const times = await Promise.all(repeat(connections, (i) => timeRequest(trellis, body, client(i))))
    return [Math.max(...times)]
  },
}

/** Milliseconds that a table is held. */
const held = 300
const heldTimes = 3

const whileTableIsHeld: Neighbour = {
  name: 'N4',
  title: `12 inserts while DDL holds a table for ${held} ms, ${heldTimes} times`,
  figures: [
    { what: 'failed', unit: '', over: 'worst', compared: 'shared', target: { most: 0 } },
    { what: 'longest', unit: 'ms', over: 'worst', compared: 'shared', target: { most: 2 * held } },
  ],
  measure: async ({ trellis, databaseUrl }) => {
    let failed = 0
    let longest = 0
    for (let time = 0; time < heldTimes; time++) {
      // Was run before, but not on every connection: most have to parse it while the table is locked.
      const body = insertEvent(newName())
      await timeRequest(trellis, body)
      const inserts = await withClient(databaseUrl, async (client) => {
        await client.query('begin; alter table event add column held int; alter table event drop column held')
        const sent = Promise.allSettled(repeat(12, () => timeRequest(trellis, body)))
        await sleep(held)
        await client.query('commit')
        return sent
      })
      failed += inserts.filter(({ status }) => status === 'rejected').length
      longest = Math.max(longest, ...inserts.map((insert) => (insert.status === 'fulfilled' ? insert.value : 0)))
    }
    return [failed, longest]
  },
}

/** Milliseconds that a row is locked. */
const locked = 2000

const besideRowLock: Neighbour = {
  name: 'N5',
  title: `writes of 16 clients, beside one that waits ${locked / 1000} s for a row lock`,
  figures: [p99Ratio, { what: 'longest', unit: 'ms', over: 'worst', compared: 'shared', target: null }],
  measure: async ({ trellis, databaseUrl }) => {
    for (let i = 0; i < 5; i++) await timeRequest(trellis, creditAccount(1))
    const load = runInserts(trellis, 16, (headStart + locked) / 1000)
    await withClient(databaseUrl, async (client) => {
      await client.query('begin; select from account where account_id = 1 for update')
      await sleep(headStart)
      const waiting = timeRequest(trellis, creditAccount(1))
      await sleep(locked - headStart)
      await client.query('commit')
      await waiting
    })
    const { p99, longest } = await load
    return [p99, longest]
  },
}

const changedMetadata: Neighbour = {
  name: 'N6',
  title: '32 clients of short reads, beside 5 known reads of 1 s, after a change of the metadata',
  figures: [
    { what: 'p99 / before it', unit: 'x', over: 'median', compared: 'shared', target: { most: 1.5 } },
    { what: 'throughput / before it', unit: 'x', over: 'median', compared: 'shared', target: { least: 0.9 } },
    { what: 'longest', unit: 'ms', over: 'worst', compared: 'shared', target: { most: 250 } },
  ],
  measure: async ({ trellis }) => {
    const slow = repeat(5, () => napQuery(1, newName()))
    for (let i = 0; i < 3; i++) await Promise.all(slow.map((body) => timeRequest(trellis, body)))
    const before = await shortReadsBeside(trellis, slow, 2)
    await changeMetadata(trellis)
    const after = await shortReadsBeside(trellis, slow, 2)
    const throughput = after.requests / after.seconds / (before.requests / before.seconds)
    return [after.p99 / before.p99, throughput, after.longest]
  },
}

/** All rows, in the order of measurement. */
export const neighbours: readonly Neighbour[] = [
  equalReads,
  newSlowReads,
  fullPool,
  whileTableIsHeld,
  besideRowLock,
  changedMetadata,
  ...shareNeighbours,
  slowWebhook,
]

/** The results of one row: numbers by round and figure. */
export interface NeighbourMeasurement {
  readonly neighbour: Neighbour
  readonly shared: readonly (readonly number[])[]
  readonly off: readonly (readonly number[])[]
}

/** Measures rows on two servers over one database: the standard one, and one without sharing. */
export async function measureNeighbours(
  wanted: readonly Neighbour[],
  rounds: number,
  databaseUrl: string,
  surroundings: Surroundings,
): Promise<NeighbourMeasurement[]> {
  const args = ['--database-url', databaseUrl, '--connections', String(connections), '--trusted-proxies', '1']
  const shared = await startTrellis(args, surroundings)
  await makeNeighbourWorld(databaseUrl, shared)
  const off = await startTrellis([...args, ...sharingOff], surroundings)
  const measurements = []
  for (const neighbour of wanted) {
    const measurement = { neighbour, shared: [] as (readonly number[])[], off: [] as (readonly number[])[] }
    await warmUp([shared, off])
    for (let round = 0; round < rounds; round++) {
      measurement.shared.push(await neighbour.measure({ trellis: shared, databaseUrl }))
      measurement.off.push(await neighbour.measure({ trellis: off, databaseUrl }))
    }
    measurements.push(measurement)
  }
  await Promise.all([shared.stop(), off.stop()])
  return measurements
}

/** Lets servers compile their code, learn which reads are short, and open their connections. */
async function warmUp(servers: readonly Trellis[]): Promise<void> {
  for (const server of servers) {
    await runShortReads(server, 32, 1)
    await runInserts(server, 16, 1)
    const nap = napQuery(0.2, 'nap')
    await Promise.all(repeat(connections, () => timeRequest(server, nap)))
  }
}
