// The duration of a start on existing data: the embedded PostgreSQL and the server, until a query is answered.

import type { Surroundings } from '../support/processes.ts'
import { type Question, startTrellis } from '../support/trellis.ts'
import { workloads } from './workloads.ts'

/** Milliseconds that a start may take. */
export const startTarget = 2000

/** Starts the server on a data directory several times; milliseconds from the process to the first answer. */
export async function measureStarts(directory: string, times: number, surroundings: Surroundings): Promise<number[]> {
  const first: Question = { path: '/v1/graphql', body: workloads[0]!.request(1) }
  const measured: number[] = []
  for (let i = 0; i < times; i++) {
    const server = await startTrellis(['--data-dir', directory], surroundings, first)
    measured.push(server.startMillis)
    await server.stop()
  }
  return measured
}
