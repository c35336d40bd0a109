// Clients that disconnect while their subscriptions are replanned: nothing runs for them afterwards.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { openApollo, openSocket } from './clients.ts'

/** Subscribes to all of these; returns a function that cuts the connection silently. */
type Subscribe = (t: TestContext, url: string, queries: readonly string[]) => Promise<() => void>

const transports: Record<string, Subscribe> = {
  async 'graphql-ws'(t, url, queries) {
    const client = await openApollo(t, url)
    for (const [i, query] of queries.entries()) client.send({ type: 'start', id: `${i}`, payload: { query } })
    return () => client.socket.terminate()
  },
  async 'graphql-transport-ws'(t, url, queries) {
    const client = await openSocket(t, url, { protocol: 'graphql-transport-ws' })
    client.send({ type: 'connection_init' })
    await client.next()
    for (const [i, query] of queries.entries()) client.send({ type: 'subscribe', id: `${i}`, payload: { query } })
    return () => client.socket.terminate()
  },
  async 'a stream of events for each'(_t, url, queries) {
    const ending = new AbortController()
    const headers = { accept: 'text/event-stream' }
    const { signal } = ending
    const open: Response[] = []
    for (const query of queries) {
      open.push(await fetch(`${url}/v1/graphql?query=${encodeURIComponent(query)}`, { headers, signal }))
    }
    return endingOf(ending, open)
  },
  async 'one stream of events'(_t, url, queries) {
    const ending = new AbortController()
    const { signal } = ending
    const endpoint = `${url}/v1/graphql`
    const token = await (await fetch(endpoint, { method: 'PUT' })).text()
    const named = { 'x-graphql-event-stream-token': token }
    const open = await fetch(endpoint, { headers: { ...named, accept: 'text/event-stream' }, signal })
    const headers = { ...named, 'content-type': 'application/json' }
    for (const [i, query] of queries.entries()) {
      const body = JSON.stringify({ query, extensions: { operationId: `${i}` } })
      await fetch(endpoint, { method: 'POST', headers, body })
    }
    return endingOf(ending, [open])
  },
}

/** Ends the responses, and holds them until then: the body of a response that nothing refers to is cancelled at any time. */
function endingOf(ending: AbortController, open: Response[]): () => void {
  return () => {
    ending.abort()
    open.length = 0
  }
}

/** A function that takes a minute; four statements for live queries run at once beside a pool of this size, all of one client. */
async function startSlow(t: TestContext, liveQueriesRefetchInterval: number) {
  const settings = {
    connections: 10,
    callerShare: 100,
    liveQueriesRefetchInterval,
    enabledApis: ['metadata', 'graphql', 'developer'],
  }
  const trellis = await startLibrary(t, { settings })
  await trellis.sql(`create function slow(seconds float8) returns setof book language plpgsql stable as $$
    begin perform pg_sleep(seconds); return query select * from book; end $$`)
  await trellis.op('track_function', 'slow')
  return trellis
}

const slowQueries = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `subscription { s${i}: slow(args: {seconds: 60}) { id } }`)

async function runningOf({ sql }: TestTrellis): Promise<number> {
  const [row] = await sql<{ running: number }>(`select count(*)::int as running from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%slow%' and pid <> pg_backend_pid()`)
  return row!.running
}

async function groupsOf({ request }: TestTrellis): Promise<number> {
  const { body } = await request<{ live_queries_map: readonly unknown[] }>('/dev/subscriptions')
  return body.live_queries_map.length
}

/** No group remains, and no statement runs or begins. */
async function assertNothingRuns(trellis: TestTrellis): Promise<void> {
  // Groups first: a statement of one that is left may have begun after those that run were counted.
  await eventually(async () => (await groupsOf(trellis)) === 0 && (await runningOf(trellis)) === 0)
  for (let i = 0; i < 10; i++) {
    await sleep(50)
    assert.equal(await runningOf(trellis), 0)
  }
}

const change = async ({ op }: TestTrellis, role: string) => {
  await op('create_select_permission', { table: 'publisher', role, permission: { columns: '*', filter: {} } })
  await op('drop_select_permission', { table: 'publisher', role })
}

for (const [name, subscribe] of Object.entries(transports)) {
  test(`nothing runs for a client that disconnects at any moment around a change of the metadata: ${name}`, async (t) => {
    const trellis = await startSlow(t, 100)
    const queries = slowQueries(12)
    for (const millis of [null, 0, 5, 50, 150, 400]) {
      const leave = await subscribe(t, trellis.url, queries)
      await eventually(async () => (await runningOf(trellis)) === 4 && (await groupsOf(trellis)) === queries.length)
      const changing = change(trellis, `role_${millis}`)
      if (millis !== null) {
        await changing
        await sleep(millis)
      }
      leave()
      await changing
      await assertNothingRuns(trellis)
    }
  })
}

test('nothing runs for clients that disconnect before a change of the metadata is noticed, or during replanning', async (t) => {
  const trellis = await startSlow(t, 60_000)
  const subscribe = transports['graphql-ws']!
  const first = await subscribe(t, trellis.url, slowQueries(6))
  const leaveLate = await subscribe(t, trellis.url, slowQueries(250))
  await eventually(async () => (await runningOf(trellis)) === 4 && (await groupsOf(trellis)) === 250)
  await change(trellis, 'first')
  first()
  // The next subscriber causes the replanning of all others.
  const leaveLast = await subscribe(t, trellis.url, ['subscription { book { id } }'])
  leaveLate()
  leaveLast()
  await assertNothingRuns(trellis)
})

test('a group whose only subscriber gets an error is dropped', async (t) => {
  const trellis = await startSlow(t, 100)
  await trellis.sql(`create function failing() returns setof book language plpgsql stable as $$
    begin raise exception 'no'; end $$`)
  await trellis.op('track_function', 'failing')
  const client = await openApollo(t, trellis.url)
  client.send({ type: 'start', id: '1', payload: { query: 'subscription { failing { id } }' } })
  assert.equal((await client.next()).type, 'error')
  await eventually(async () => (await groupsOf(trellis)) === 0)
})
