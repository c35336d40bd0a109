// The largest requests that are read, and the delay of others meanwhile: of `/livez`, which waits only for the server's
// event loop.

import { setTimeout as sleep } from 'node:timers/promises'
import { table, whole } from '../report.ts'
import { chinookMetadata } from '../support/chinook.ts'
import type { Surroundings } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'

/** Milliseconds that `/livez` may wait. */
const target = 500

interface Hostile {
  readonly title: string
  readonly path: string
  readonly body: () => string
}

const graphql = (title: string, body: () => string): Hostile => ({ title, path: '/v1/graphql', body })

const list = (times: number, item: (index: number) => string): string =>
  Array.from({ length: times }, (_, i) => item(i)).join()

const where = (type: string, value: string): string =>
  `{"query":"query ($w: ${type}_bool_exp!) { ${type}(where: $w, limit: 1) { __typename } }","variables":{"w":${value}}}`

const conditions = (times: number): string =>
  where('genre', `{"_or":[${list(times, (i) => `{"genre_id":{"_eq":${i}}}`)}]}`)

const introspection = '{"query":"{__schema{types{name fields{name args{name type{name}} type{name ofType{name}}}}}}"}'

const document = (title: string, parts: () => string): Hostile => ({
  title,
  path: '/v1/query',
  body: () => `{"type":"replace_metadata","args":{"version":2,${parts()}}}`,
})

const permission = (i: number): string => `{"role":"r${i}","permission":{"columns":[],"filter":{}}}`
const tableOf = (permissions: number): string =>
  `{"table":"genre","select_permissions":[${list(permissions, permission)}]}`
const objectType = (i: number): string => `{"name":"T${i}","fields":[{"name":"a","type":"Int"}]}`
const collectionOf = (queries: number, c = 0): string =>
  `{"name":"c${c}","definition":{"queries":[${list(queries, (i) => `{"name":"q${i}","query":"{genre{name}}"}`)}]}}`

const requests: readonly Hostile[] = [
  graphql('9,900 conditions', () => conditions(9900)),
  graphql('200,000 conditions, refused', () => conditions(200_000)),
  graphql('a list of 500,000 values', () => where('genre', `{"genre_id":{"_in":[${list(500_000, String)}]}}`)),
  graphql('300,000 numbers of 21 digits', () =>
    where('invoice', `{"total":{"_in":[${list(300_000, (i) => `${100_000 + i}123456789012345`)}]}}`),
  ),
  graphql('a text of 20 MB', () => where('genre', `{"name":{"_eq":"${'x'.repeat(20_000_000)}"}}`)),
  graphql('a batch of 300 introspections', () => `[${list(300, () => introspection)}]`),
  graphql('a value of 1,500,000 levels, refused', () =>
    where('genre', `${'{"_not":'.repeat(1_500_000)}{}${'}'.repeat(1_500_000)}`),
  ),
  graphql(
    '90,000 unknown variables, refused',
    () => `{"query":"{genre{name}}","variables":{${list(90_000, (i) => `"v${i}":1`)}}}`,
  ),
  graphql('20 MB that are no JSON', () => `{"query":[${list(10_000_000, () => '1')}`),
  {
    title: 'metadata of 200,000 unknown keys, refused',
    path: '/v1/query',
    body: () =>
      `{"type":"replace_metadata","args":{"version":2,"tables":[${list(200_000, (i) => `{"table":"t${i}","no":1}`)}]}}`,
  },
  {
    title: 'metadata of 100,000 unknown tables, refused',
    path: '/v1/query',
    body: () =>
      `{"type":"replace_metadata","args":{"version":2,"tables":[${list(100_000, (i) => `{"table":"t${i}"}`)}]}}`,
  },
  document('metadata of a table with 39,900 permissions', () => `"tables":[${tableOf(39_900)}]`),
  document(
    'metadata of 180,000 such permissions in 6 tables, refused',
    () => `"tables":[${list(6, () => tableOf(30_000))}]`,
  ),
  document(
    'metadata of 28,000 object types',
    () => `"tables":[],"custom_types":{"objects":[${list(28_000, objectType)}]}`,
  ),
  document(
    'metadata of a collection with 66,000 queries',
    () => `"tables":[],"query_collections":[${collectionOf(66_000)}]`,
  ),
  document(
    'metadata of 200,000 queries in 4 collections',
    () => `"tables":[],"query_collections":[${list(4, (i) => collectionOf(50_000, i))}]`,
  ),
]

/** The result of one request. */
export interface HostileResult {
  readonly title: string
  readonly megabytes: number
  readonly seconds: number
  /** The longest wait for `/livez` in all rounds. */
  readonly longest: number
}

/** The longest wait for `/livez` until some work is done. */
async function longestWait(url: string, done: Promise<unknown>): Promise<number> {
  let isDone = false
  const ended = done.finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const began = performance.now()
    await (await fetch(`${url}/livez`)).text()
    longest = Math.max(longest, performance.now() - began)
    await sleep(1)
  }
  await ended
  return longest
}

/** Sends each request several times, one after the other. */
export async function measureHostile(
  databaseUrl: string,
  rounds: number,
  surroundings: Surroundings,
): Promise<HostileResult[]> {
  const trellis = await startTrellis(['--database-url', databaseUrl], surroundings)
  await operate(trellis.port, 'replace_metadata', chinookMetadata)
  const url = `http://127.0.0.1:${trellis.port}`
  const results: HostileResult[] = []
  for (const { title, path, body } of requests) {
    const bytes = Buffer.from(body())
    const headers = { 'content-type': 'application/json' }
    const send = async () => (await fetch(`${url}${path}`, { method: 'POST', headers, body: bytes })).text()
    let longest = 0
    const began = performance.now()
    for (let round = 0; round < rounds; round++) longest = Math.max(longest, await longestWait(url, send()))
    const seconds = (performance.now() - began) / 1000 / rounds
    results.push({ title, megabytes: bytes.length / 1e6, seconds, longest })
  }
  await trellis.stop()
  return results
}

/** The results as a table. */
export function hostileReport(results: readonly HostileResult[]): string {
  const head = ['', 'MB', 'takes s', '/livez waits ms', 'target', 'verdict']
  const rows = results.map(({ title, megabytes, seconds, longest }) => [
    ...[title, megabytes.toFixed(1), seconds.toFixed(2), whole(longest)],
    ...[`≤ ${target}`, longest <= target ? 'ok' : 'missed'],
  ])
  return ['Large and hostile requests, and the longest wait of others', table([head, ...rows])].join('\n')
}
