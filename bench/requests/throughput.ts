// Trellis beside the limit: the same requests to each server in turn, round after round, so that other load of the
// machine affects all of them.

import { isDeepStrictEqual } from 'node:util'
import { type LoadResult, requestBytes, runLoad, type Target } from '../support/load.ts'
import { cpuSeconds, cpuSecondsWithChildren } from '../support/processes.ts'
import { ask } from '../support/trellis.ts'
import type { GraphQLRequest, Workload } from './workloads.ts'

/** One of the compared servers. */
export interface Contender {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly pathOf: (workload: Workload) => string
  /** Whether it is a REST endpoint: it takes the variables alone, and answers with the content of `data`. */
  readonly isEndpoint?: boolean
}

export interface ThroughputOptions {
  readonly connections: number
  readonly rounds: number
  /** The length of a round. */
  readonly seconds: number
  /** Process id of PostgreSQL. */
  readonly postmaster: number
}

/** Microseconds of processor time per request; null on systems without this figure. */
export interface CpuPerRequest {
  readonly server: number | null
  readonly postgres: number | null
}

export interface Round extends LoadResult {
  readonly cpu: CpuPerRequest
}

/** The results of one server's rounds. */
export interface Measurement {
  readonly contender: Contender
  readonly rounds: readonly Round[]
}

const distinctRequests = 2000
const warmUpSeconds = 3
const comparedAnswers = 25

/** Refuses servers whose answers differ from those of the first one. */
export async function compareAnswers(workload: Workload, contenders: readonly Contender[]): Promise<void> {
  for (let index = 0; index < comparedAnswers; index++) {
    const request = workload.request(index)
    const headers = workload.headers?.(index)
    const [expected, ...others] = await Promise.all(
      contenders.map(async (contender) => {
        const body = bodyOf(request, contender)
        const answer = await ask(contender.port, { path: contender.pathOf(workload), body, headers })
        return contender.isEndpoint ? { data: answer } : answer
      }),
    )
    for (const [i, other] of others.entries()) {
      if (isDeepStrictEqual(other, expected)) continue
      const names = `${contenders[i + 1]!.name} and ${contenders[0]!.name}`
      throw new Error(
        `${workload.name}: ${names} answer differently to ${JSON.stringify(request)}:\n${JSON.stringify(other)}\n${JSON.stringify(expected)}`,
      )
    }
  }
}

const bodyOf = (request: GraphQLRequest, { isEndpoint }: Contender) => (isEndpoint ? request.variables : request)

/** The target of a contender's requests. */
const targetOf = ({ port, isEndpoint }: Contender, requests: readonly Buffer[]): Target => ({
  port,
  requests,
  ...(isEndpoint && { answerStart: '{' }),
})

/** Measures every server under one workload. */
export async function measureWorkload(
  workload: Workload,
  contenders: readonly Contender[],
  standard: ThroughputOptions,
): Promise<Measurement[]> {
  const options = { ...standard, connections: workload.connections ?? standard.connections }
  const requests = contenders.map((contender) => requestsOf(workload, contender))
  const measurements = contenders.map((contender) => ({ contender, rounds: [] as Round[] }))
  for (const [i, { contender }] of measurements.entries()) {
    await runLoad(targetOf(contender, requests[i]!), { connections: options.connections, seconds: warmUpSeconds })
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const [i, { contender, rounds }] of measurements.entries()) {
      rounds.push(await measureRound(contender, requests[i]!, options))
    }
  }
  return measurements
}

/** The requests of a workload, as bytes. */
export const requestsOf = (workload: Workload, contender: Contender): readonly Buffer[] =>
  Array.from({ length: workload.distinct ?? distinctRequests }, (_, index) =>
    requestBytes(contender.pathOf(workload), bodyOf(workload.request(index), contender), workload.headers?.(index)),
  )

/** Measures one server for a while. */
export async function measureRound(
  contender: Contender,
  requests: readonly Buffer[],
  { postmaster, connections, seconds }: ThroughputOptions,
): Promise<Round> {
  const { pid } = contender
  const before = { server: cpuSeconds(pid), postgres: cpuSecondsWithChildren(postmaster) }
  const result = await runLoad(targetOf(contender, requests), { connections, seconds })
  const after = { server: cpuSeconds(pid), postgres: cpuSecondsWithChildren(postmaster) }
  const perRequest = (from: number | null, to: number | null) =>
    from === null || to === null ? null : ((to - from) / result.requests) * 1e6
  const cpu = {
    server: perRequest(before.server, after.server),
    postgres: perRequest(before.postgres, after.postgres),
  }
  return { ...result, cpu }
}
