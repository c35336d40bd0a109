// Remote schemas: a GraphQL Yoga server asked directly and through Trellis, and a join of 100 rows beside the two
// requests that it replaces. A local query is measured before and after the first remote schema.

import assert from 'node:assert/strict'
import { Pool } from 'undici'
import { installClients } from '../../test/clients/install.ts'
import { trackByPrimaryKey } from '../requests/workloads.ts'
import { chinookMetadata } from '../support/chinook.ts'
import { type LoadOptions, requestBytes, runLoad, timeInTurn } from '../support/load.ts'
import { median } from '../support/median.ts'
import { type Surroundings, startProgram } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'

/** Targets: the least share of the server's own throughput, and the most extra cost of a join. */
export const remoteTargets = { share: 0.5, overhead: 0.3 } as const

/** Requests per second of each round, or milliseconds of a join in each turn. */
export interface RemoteResult {
  readonly direct: readonly number[]
  readonly through: readonly number[]
  /** The two requests that a join replaces, one after the other, as a client without the join sends them. */
  readonly parts: readonly number[]
  readonly joined: readonly number[]
  /** The same by a program with an HTTP client, which combines the two answers itself. */
  readonly program: { readonly parts: readonly number[]; readonly joined: readonly number[] }
  readonly local: { readonly before: readonly number[]; readonly after: readonly number[] }
}

export interface RemoteOptions extends LoadOptions {
  readonly rounds: number
}

/** Turns of a round in which joins are timed. */
const slices = 10

const serverFile = new URL('../../test/clients/programs/remote-server.ts', import.meta.url)

/** The address of a server made with Yoga. */
async function startYoga(surroundings: Surroundings): Promise<{ readonly port: number; readonly url: string }> {
  await installClients()
  const program = startProgram(serverFile, ['yoga'], surroundings, 'ipc')
  const url = await new Promise<string>((listening, failed) => {
    program.child.once('message', (message) => listening(String(message)))
    program.child.once('exit', () => failed(new Error(`Yoga ended: ${program.errors()}`)))
  })
  return { port: Number(new URL(url).port), url }
}

const graphql = '/v1/graphql'
const remoteQuery = {
  query: 'query ($n: Int!) { users(limit: $n) { id name kind friends { name } } }',
  variables: { n: 2 },
}
const hundred = 'track(limit: 100, order_by: {track_id: asc})'
const joinQuery = { query: `{ ${hundred} { track_id name listener { name kind } } }` }
interface Row {
  track_id: number
  name: string
  listener?: unknown
}
const rowsQuery = { query: `{ ${hundred} { track_id name } }` }
/**
 * The request of a client that has read the rows. Their ids are variables, so that the server can cache the document.
 */
const ids = Array.from({ length: 100 }, (_, i) => [`u${i}`, i + 1] as const)
const declared = ids.map(([name]) => `$${name}: ID!`).join(', ')
const variablesOf = (rows: readonly Row[]) => Object.fromEntries(rows.map(({ track_id }, i) => [`u${i}`, track_id]))
const users = ids.map(([name]) => `${name}: user(id: $${name}) { ...f }`).join(' ')
const usersQuery = {
  query: `query (${declared}) { ${users} } fragment f on User { name kind }`,
  variables: Object.fromEntries(ids),
}

const relationship = {
  ...{ name: 'listener', table: 'track', service_fields: ['track_id'], remote_schema: 'people' },
  remote_field: { user: { arguments: { id: '$track_id' } } },
}

type Ask = <T>(path: string, body: unknown) => Promise<T>

/** Asks a server over one keep-alive connection. */
function asking(port: number): { readonly ask: Ask; close(): Promise<void> } {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  const headers = { 'content-type': 'application/json' }
  const ask = async <T>(path: string, body: unknown) => {
    const answer = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(body) })
    const { data } = (await answer.body.json()) as { data: T }
    return data
  }
  return { ask, close: () => pool.close() }
}

/** The rows with their listeners: by one request, and by two. */
function makeProgram(trellis: Ask, yoga: Ask) {
  const joined = async () => (await trellis<{ track: Row[] }>(graphql, joinQuery)).track
  const parts = async () => {
    const { track } = await trellis<{ track: Row[] }>(graphql, rowsQuery)
    const found = await yoga<Record<string, unknown>>('/graphql', { ...usersQuery, variables: variablesOf(track) })
    for (const [i, row] of track.entries()) row.listener = found[`u${i}`]
    return track
  }
  return { joined, parts }
}

/** The median time in milliseconds. */
async function timeEach(work: () => Promise<unknown>, seconds: number): Promise<number> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (let started = performance.now(); started < end; started = performance.now()) {
    await work()
    times.push(performance.now() - started)
  }
  return median(times)
}

/** Measures everything in turn, round after round. */
export async function measureRemote(
  databaseUrl: string,
  { rounds, ...load }: RemoteOptions,
  surroundings: Surroundings,
): Promise<RemoteResult> {
  const [yoga, trellis] = [
    await startYoga(surroundings),
    await startTrellis(['--database-url', databaseUrl], surroundings),
  ]
  await operate(trellis.port, 'replace_metadata', chinookMetadata)
  const rate = async (port: number, path: string, bodies: readonly unknown[]) => {
    const result = await runLoad({ port, requests: bodies.map((body) => requestBytes(path, body)) }, load)
    return result.requests / result.seconds
  }
  const rowsRequest = { port: trellis.port, requests: [requestBytes(graphql, rowsQuery)] }
  const usersRequest = { port: yoga.port, requests: [requestBytes('/graphql', usersQuery)] }
  const joinRequest = { port: trellis.port, requests: [requestBytes(graphql, joinQuery)] }
  const tracks = Array.from({ length: 1000 }, (_, index) => trackByPrimaryKey.request(index))
  const local = { before: [] as number[], after: [] as number[] }
  const found = { direct: [] as number[], through: [] as number[], parts: [] as number[], joined: [] as number[] }
  const program = { parts: [] as number[], joined: [] as number[] }
  const [askTrellis, askYoga] = [asking(trellis.port), asking(yoga.port)]
  const { joined: joinRows, parts: putTogether } = makeProgram(askTrellis.ask, askYoga.ask)
  const warmRate = async () => {
    await rate(trellis.port, graphql, tracks)
    return rate(trellis.port, graphql, tracks)
  }
  for (let round = 0; round < rounds; round++) {
    if (round > 0) {
      await operate(trellis.port, 'delete_remote_relationship', { table: 'track', name: relationship.name })
      await operate(trellis.port, 'remove_remote_schema', { name: 'people' })
    }
    local.before.push(await warmRate())
    await operate(trellis.port, 'add_remote_schema', { name: 'people', definition: { url: yoga.url } })
    await operate(trellis.port, 'create_remote_relationship', relationship)
    local.after.push(await warmRate())
  }
  for (let round = -1; round < rounds; round++) {
    const direct = await rate(yoga.port, '/graphql', [remoteQuery])
    const through = await rate(trellis.port, graphql, [remoteQuery])
    // In short turns, so that other load of the machine affects all of them.
    for (let slice = 0; slice < slices; slice++) {
      const seconds = load.seconds / slices
      const parts = await timeInTurn([rowsRequest, usersRequest], seconds)
      const joined = await timeInTurn([joinRequest], seconds)
      const programParts = await timeEach(putTogether, seconds)
      const programJoined = await timeEach(joinRows, seconds)
      if (round < 0) continue
      found.parts.push(parts)
      found.joined.push(joined)
      program.parts.push(programParts)
      program.joined.push(programJoined)
    }
    if (round < 0) {
      assert.deepEqual(await joinRows(), await putTogether())
      continue
    }
    found.direct.push(direct)
    found.through.push(through)
  }
  await Promise.all([askTrellis.close(), askYoga.close()])
  await trellis.stop()
  return { ...found, program, local }
}
