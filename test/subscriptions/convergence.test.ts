// Subscribers during many writes: by mutations, through another instance and by plain SQL, with lost connections and one lost
// server. A subscriber's last message equals the final answer of the query, and each message was a state of the database.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

interface State {
  readonly data: { readonly book: readonly { readonly pages: number }[] } | null
}

const writesOfEach = 60

async function converge(t: TestContext, liveQueries: 'poll' | 'changes'): Promise<void> {
  const settings = { liveQueries, liveQueriesRefetchInterval: 200 }
  const { database } = await startLibrary(t)
  await database.sql('update book set pages = 0')
  const other = await startTrellis(t, { database, settings })
  let server: TestTrellis = await startTrellis(t, { database, settings })
  const serverPort = Number(new URL(server.url).port)
  const client = graphqlWsClient(t, server.url, {
    ...{ retryAttempts: 1000, retryWait: () => sleep(50), shouldRetry: () => true },
  })
  const query = (where: string) => `subscription { book(order_by: {id: asc}${where}) { pages } }`
  const received = ['', ', where: {id: {_lte: 2}}', ', where: {publisher: {name: {_eq: "Ark"}}}'].map((where) =>
    subscribeWith(client, query(where)),
  )
  await Promise.all(received.map((each) => each.atLeast(1)))

  // Each transaction gives all rows one number, so that a state which mixes two of them would show.
  const written = new Set([0])
  const each = async (from: number, write: (value: number) => Promise<unknown>) => {
    for (let value = from; value < from + writesOfEach; value++) {
      written.add(value)
      await write(value).catch(() => {})
      await sleep(10)
    }
  }
  const mutate = (to: () => TestTrellis) => (value: number) =>
    to().graphql(`mutation { update_book(where: {}, _set: {pages: ${value}}) { affected_rows } }`)
  const cut = () =>
    database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  const disturb = async () => {
    for (let i = 0; i < 2; i++) {
      await sleep(300)
      await cut()
    }
    await sleep(200)
    await server.engine.close()
    server = await startTrellis(t, { database, settings: { ...settings, serverPort } })
  }
  await Promise.all([
    each(
      1000,
      mutate(() => server),
    ),
    each(
      2000,
      mutate(() => other),
    ),
    each(3000, (value) => database.sql(`update book set pages = ${value}`)),
    disturb(),
  ])
  const answer = await other.graphql<State>('{ book(order_by: {id: asc}) { pages } }')
  const last = answer.data!.book[0]!.pages
  for (const one of received) {
    const items = (await one.until(
      (all) => pagesOf(all.at(-1)).includes(last) && pagesOf(all.at(-1)).length > 0,
    )) as State[]
    for (const item of items) {
      const pages = new Set(pagesOf(item))
      assert.ok(pages.size <= 1, `one state: ${JSON.stringify(item)}`)
      for (const value of pages) assert.ok(written.has(value), `a state of the database: ${value}`)
    }
    assert.ok(items.length > 3, `${items.length} states`)
  }
  await client.dispose()
}

const pagesOf = (item: unknown): number[] => (item as State).data?.book.map(({ pages }) => pages) ?? []

for (const mode of ['poll', 'changes'] as const) {
  test(`subscribers converge during many writes and lost connections (${mode})`, (t) => converge(t, mode))
}
