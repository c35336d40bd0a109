// The cost of subscribers for requests over HTTP: the shortest read and write of a server, in turn without subscribers
// and with those of a table that does not change.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Contender,
  type Measurement,
  measureRound,
  type Round,
  requestsOf,
  type ThroughputOptions,
} from '../requests/throughput.ts'
import { singleInsert, trackByPrimaryKey, type Workload } from '../requests/workloads.ts'
import { chinookMetadata } from '../support/chinook.ts'
import { type Database, withClient } from '../support/database.ts'
import type { Surroundings } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'
import { measuredTable, openSubscribers, smallGroups } from './subscribers.ts'

/** Each with a different value. */
const subscribers = 1000

const asked = [trackByPrimaryKey, singleInsert]

/** The figures of a workload without subscribers, and with them. */
export interface BesideSubscribers {
  readonly workload: Workload
  readonly measurements: readonly [without: Measurement, beside: Measurement]
}

/** Measures each workload on one server. Its subscribers connect and disconnect. */
export async function measureBesideSubscribers(
  { url, postmaster }: Database,
  standard: Omit<ThroughputOptions, 'postmaster'>,
  surroundings: Surroundings,
): Promise<BesideSubscribers[]> {
  await withClient(url, async (client) => {
    for (const statement of measuredTable.split(';')) await client.query(statement)
  })
  const program = await startTrellis(['--database-url', url], surroundings)
  await operate(program.port, 'replace_metadata', chinookMetadata)
  await operate(program.port, 'track_table', 'measured')
  const server: Contender = { ...program, name: 'without subscribers', pathOf: () => '/v1/graphql' }
  const beside = { ...server, name: `beside ${subscribers.toLocaleString('en-US')}` }
  const results: BesideSubscribers[] = []
  for (const workload of asked) {
    const requests = requestsOf(workload, server)
    const options = { ...standard, postmaster }
    const [rounds, besideRounds]: [Round[], Round[]] = [[], []]
    await measureRound(server, requests, options)
    for (let round = 0; round < standard.rounds; round++) {
      rounds.push(await measureRound(server, requests, options))
      const sockets = await openSubscribers(server.port, { subscribers, groups: smallGroups })
      await sleep(settlingMillis)
      besideRounds.push(await measureRound(server, requests, options))
      for (const socket of sockets) socket.close()
      await sleep(settlingMillis)
    }
    results.push({
      workload,
      measurements: [
        { contender: server, rounds },
        { contender: beside, rounds: besideRounds },
      ],
    })
  }
  await program.stop()
  return results
}

/** Milliseconds until subscribers are connected, or gone. */
const settlingMillis = 1000
