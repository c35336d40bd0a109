// The cost of 5,000 silent subscribers, by protocol.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { orNone, table, times } from '../report.ts'
import type { Surroundings } from '../support/processes.ts'
import type { SubscriberProtocol } from './subscriber-socket.ts'
import { measureIdle, onlyGroup, openSubscribers, type SubscriberResult, startServer } from './subscribers.ts'

const subscribers = 5000
const protocols: readonly SubscriberProtocol[] = ['graphql-transport-ws', 'graphql-ws']

/** Percent of a processor. */
const cpuTarget = 1

/** Seconds until backends have reported earlier transactions, and those of the measurement. */
const settlingSeconds = 12
const idleSeconds = 20

export interface IdleResult {
  readonly protocol: SubscriberProtocol
  readonly idle: NonNullable<SubscriberResult['idle']>
}

/** Measures each protocol on a separate server. */
export async function measureIdleSubscribers(serverUrl: string, surroundings: Surroundings): Promise<IdleResult[]> {
  const watcher = new pg.Client({ connectionString: serverUrl })
  await watcher.connect()
  surroundings.scope.defer(() => watcher.end().catch(() => {}))
  const results: IdleResult[] = []
  for (const protocol of protocols) {
    const server = await startServer(serverUrl, 'poll', surroundings)
    const sockets = await openSubscribers(server.port, { subscribers, groups: [onlyGroup], protocol })
    await sleep(settlingSeconds * 1000)
    results.push({ protocol, idle: await measureIdle(server, watcher, idleSeconds) })
    for (const socket of sockets) socket.close()
    await server.program.stop()
  }
  await watcher.end()
  return results
}

/** Both protocols. */
export const idleReport = (results: readonly IdleResult[]): string =>
  [
    `${subscribers.toLocaleString('en-US')} subscribers while nothing is written (target < ${cpuTarget} % CPU)`,
    table([
      ['', 'transactions/s', 'CPU %'],
      ...results.map(({ protocol, idle }) => [
        protocol,
        times(idle.transactionsPerSecond),
        orNone(idle.cpuPercent, times),
      ]),
    ]),
  ].join('\n')
