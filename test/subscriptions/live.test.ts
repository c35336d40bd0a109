// Live queries: the messages of subscribers when rows, permissions and tables change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import { startPostgres } from '../support/small-postgres.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, openApollo, type Received, subscribeWith } from './clients.ts'

const book = 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }'
const titled = (title: string) => ({ data: { book_by_pk: { title } } })

test('a subscriber gets the first answer at once, and another one after a change', async (t) => {
  const trellis = await startLibrary(t)
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, book, { id: 1 })
  assert.deepEqual(await received.atLeast(1), [titled('Dawn')])
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  assert.deepEqual(await received.atLeast(2), [titled('Dawn'), titled('Dusk')])
})

test('an answer that a write does not change is not sent again', async (t) => {
  const trellis = await startLibrary(t)
  const client = graphqlWsClient(t, trellis.url)
  const [one, two] = [subscribeWith(client, book, { id: 1 }), subscribeWith(client, book, { id: 2 })]
  await Promise.all([one.atLeast(1), two.atLeast(1)])
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await one.atLeast(2)
  await trellis.sql(`update book set pages = 301 where id = 1`)
  await sleep(1500)
  assert.deepEqual([one.items, two.items], [[titled('Dawn'), titled('Dusk')], [titled('Ebb')]])
})

/** The interval is too long to show changes during the test. */
const patient = { liveQueriesRefetchInterval: 3_600_000 }

const retitle =
  'mutation ($title: String!) { update_book(where: {id: {_eq: 1}}, _set: {title: $title}) { affected_rows } }'

test('a write through this server is seen before the interval ends', async (t) => {
  const trellis = await startLibrary(t, { settings: patient })
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, book, { id: 1 })
  await received.atLeast(1)
  for (let i = 0; i < 10; i++) {
    await trellis.graphql(retitle, { title: `T${i}` })
    await received.until((items) => items.some((item) => JSON.stringify(item).includes(`T${i}"`)))
  }
})

/** Statements that a server sends, by their digest. */
const counting = () => {
  const counts = { statements: 0 }
  const plugin = definePlugin({
    name: 'count-statements',
    register(engine) {
      engine.around({
        statement(work, run) {
          if (work.kind === 'query') counts.statements++
          return run()
        },
      })
    },
  })
  return { counts, plugin }
}

test('without writes, one statement per interval serves all subscriptions', async (t) => {
  const { counts, plugin } = counting()
  // Writes of other tests to other databases of a shared server would cause statements.
  const database = await startPostgres(t, 40, 'select')
  const trellis = await startLibrary(t, { plugins: [plugin], database })
  const client = graphqlWsClient(t, trellis.url)
  const all: Received[] = []
  for (let id = 0; id < 300; id++) all.push(subscribeWith(client, book, { id }))
  all.push(subscribeWith(client, 'subscription { book { id } }'))
  await Promise.all(all.map((each) => each.atLeast(1)))
  // The server's own writes of its start may still be seen: one quiet second is enough.
  for (let second = 0; second < 60; second++) {
    const before = counts.statements
    await sleep(1000)
    if (counts.statements - before <= 2) return
  }
  assert.fail('more than one statement in each second')
})

test('answers that depend on the clock are refreshed without any write', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`create view tick as select 1 as id, extract(second from clock_timestamp())::text as at`)
  await trellis.op('track_table', 'tick')
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, 'subscription { tick { at } }')
  await received.atLeast(3)
  const timed = 'subscription { event(where: {at: {_gt: "now"}}) { id } }'
  await trellis.sql('create table event (id int primary key, at timestamptz)')
  await trellis.op('track_table', 'event')
  const coming = subscribeWith(client, timed)
  const none = { data: { event: [] } }
  assert.deepEqual(await coming.atLeast(1), [none])
  await trellis.sql(`insert into event values (1, now() + interval '5 s')`)
  assert.deepEqual(await coming.atLeast(3), [none, { data: { event: [{ id: 1 }] } }, none])
})

async function grant(trellis: TestTrellis, role: string, filter: unknown = {}): Promise<void> {
  const permission = { columns: ['id', 'title'], filter }
  await trellis.op('create_select_permission', { table: 'book', role, permission })
}

const asRole = (role: string, more: Record<string, string> = {}) => ({
  connectionParams: { headers: { 'x-service-role': role, ...more } },
})

test('session variables apply to each refresh', async (t) => {
  const trellis = await startLibrary(t)
  await grant(trellis, 'reader', { publisher_id: { _eq: 'x-service-publisher' } })
  const subscribe = (publisher: string) =>
    subscribeWith(graphqlWsClient(t, trellis.url, asRole('reader', { 'x-service-publisher': publisher })), titles)
  const titles = 'subscription { book(order_by: {id: asc}) { title } }'
  const [ark, bell] = [subscribe('1'), subscribe('2')]
  const books = (...names: string[]) => ({ data: { book: names.map((title) => ({ title })) } })
  assert.deepEqual(await ark.atLeast(1), [books('Dawn', 'Ebb')])
  assert.deepEqual(await bell.atLeast(1), [books('Fog')])
  await trellis.sql(`update book set publisher_id = 2 where title = 'Ebb'`)
  assert.deepEqual((await ark.atLeast(2))[1], books('Dawn'))
  assert.deepEqual((await bell.atLeast(2))[1], books('Ebb', 'Fog'))
})

test('a role that loses access gets an error, and receives nothing more', async (t) => {
  const trellis = await startLibrary(t)
  await grant(trellis, 'reader')
  await grant(trellis, 'other')
  const query = 'subscription { book(order_by: {id: asc}, limit: 1) { title } }'
  const [reader, other] = ['reader', 'other'].map((role) =>
    subscribeWith(graphqlWsClient(t, trellis.url, asRole(role)), query),
  )
  await Promise.all([reader!.atLeast(1), other!.atLeast(1)])
  await trellis.op('drop_select_permission', { table: 'book', role: 'reader' })
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  const [, ended] = (await reader!.atLeast(2)) as [unknown, { error: { message: string }[] }]
  assert.equal(ended.error[0]!.message, `field "book" not found in type: 'subscription_root'`)
  const now = { data: { book: [{ title: 'Dusk' }] } }
  assert.deepEqual((await other!.until((items) => items.length >= 2))[1], now)
  assert.equal(reader!.items.length, 2)
})

test('a changed permission applies from then on', async (t) => {
  const trellis = await startLibrary(t)
  await grant(trellis, 'reader')
  const received = subscribeWith(graphqlWsClient(t, trellis.url, asRole('reader')), 'subscription { book { id } }')
  await received.atLeast(1)
  const replace = [
    { type: 'drop_select_permission', args: { table: 'book', role: 'reader' } },
    {
      type: 'create_select_permission',
      args: { table: 'book', role: 'reader', permission: { columns: ['id'], filter: { id: { _eq: 3 } } } },
    },
  ]
  await trellis.op('bulk', replace)
  assert.deepEqual((await received.atLeast(2))[1], { data: { book: [{ id: 3 }] } })
})

test('a dropped table ends its own subscriptions only', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql('create table gone (id int primary key)')
  await trellis.op('track_table', 'gone')
  const client = graphqlWsClient(t, trellis.url)
  const gone = subscribeWith(client, 'subscription { gone { id } }')
  const kept = subscribeWith(client, book, { id: 1 })
  await Promise.all([gone.atLeast(1), kept.atLeast(1)])
  await trellis.sql('drop table gone')
  const [, failed] = (await gone.atLeast(2)) as [unknown, { data: null; errors: { message: string }[] }]
  assert.deepEqual([failed.data, failed.errors[0]!.message], [null, 'database query error'])
  await trellis.sql('create table gone (id int primary key)')
  assert.deepEqual((await gone.atLeast(3))[2], { data: { gone: [] } })
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  assert.deepEqual((await kept.atLeast(2))[1], titled('Dusk'))
  await trellis.op('untrack_table', { table: 'gone', cascade: true })
  const [, , , ended] = (await gone.atLeast(4)) as unknown[]
  assert.deepEqual(
    (ended as { error: { message: string }[] }).error.map(({ message }) => message),
    [`field "gone" not found in type: 'subscription_root'`],
  )
})

test('values that fail for one subscriber do not affect the others', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`create function inverse(n int) returns setof book language sql stable as
    'select b.* from book b where b.id = 10 / n'`)
  await trellis.op('track_function', 'inverse')
  const client = graphqlWsClient(t, trellis.url)
  const query = 'subscription ($n: Int!) { inverse(args: {n: $n}) { title } }'
  const all = [1, 0, 5, 10].map((n) => subscribeWith(client, query, { n }))
  const results = await Promise.all(all.map(async (each) => (await each.atLeast(1))[0]))
  const answer = (...titles: string[]) => ({ data: { inverse: titles.map((title) => ({ title })) } })
  const [, failed] = results as [unknown, { error: { message: string }[] }]
  assert.equal(failed.error[0]!.message, 'division by zero')
  assert.deepEqual([results[0], results[2], results[3]], [answer(), answer('Ebb'), answer('Dawn')])
})

test('a subscription survives the loss of all connections to PostgreSQL', async (t) => {
  const trellis = await startLibrary(t)
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, book, { id: 1 })
  await received.atLeast(1)
  for (const title of ['One', 'Two']) {
    await trellis.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await trellis.sql(`update book set title = '${title}' where id = 1`)
    await received.until((items) => JSON.stringify(items.at(-1)).includes(`"${title}"`))
  }
})

test('during many writes, subscribers see only committed states, and finally the last one', async (t) => {
  const trellis = await startLibrary(t)
  const other = await startTrellis(t, { database: trellis.database })
  const client = graphqlWsClient(t, trellis.url)
  await trellis.sql('update book set pages = 0')
  const sum = subscribeWith(client, 'subscription { book(order_by: {id: asc}) { pages } }')
  await sum.atLeast(1)
  // All rows of each state have the same number.
  const write = async (server: TestTrellis, from: number) => {
    for (let n = from; n < from + 40; n++) {
      await server.graphql(`mutation { update_book(where: {}, _set: {pages: ${n}}) { affected_rows } }`)
    }
  }
  await Promise.all([write(trellis, 100), write(other, 200)])
  await trellis.sql('update book set pages = 7')
  const last = { data: { book: [{ pages: 7 }, { pages: 7 }, { pages: 7 }] } }
  const items = await sum.until((all) => JSON.stringify(all.at(-1)) === JSON.stringify(last))
  for (const item of items as (typeof last)[]) {
    assert.equal(new Set(item.data.book.map(({ pages }) => pages)).size, 1, JSON.stringify(item))
  }
})

test('aggregates, relationships and Relay fields can be subscribed to', async (t) => {
  const trellis = await startLibrary(t)
  const client = graphqlWsClient(t, trellis.url)
  const aggregate = subscribeWith(
    client,
    'subscription { publisher_aggregate { aggregate { count } nodes { books { title } } } }',
  )
  await aggregate.atLeast(1)
  await trellis.sql(`insert into publisher (name) values ('Drum')`)
  const [, second] = (await aggregate.atLeast(2)) as {
    data: { publisher_aggregate: { aggregate: { count: number } } }
  }[]
  assert.equal(second!.data.publisher_aggregate.aggregate.count, 4)
  const relay = await openApollo(t, trellis.url, { path: '/v1beta1/relay' })
  const query = 'subscription { publisher_connection(first: 1) { edges { node { name } } } }'
  relay.send({ type: 'start', id: '1', payload: { query } })
  const { payload } = await relay.next()
  assert.deepEqual(payload, { data: { publisher_connection: { edges: [{ node: { name: 'Ark' } }] } } })
})

test('a write through another instance is seen before the interval ends', async (t) => {
  const trellis = await startLibrary(t, { settings: patient })
  const other = await startTrellis(t, { database: trellis.database })
  const received = subscribeWith(graphqlWsClient(t, trellis.url), book, { id: 1 })
  await received.atLeast(1)
  // An instance notifies only while it knows that another one has subscribers.
  let tries = 0
  await eventually(async () => {
    await other.graphql(retitle, { title: `Try ${++tries}` })
    return received.items.length > 1
  })
  for (let i = 0; i < 5; i++) {
    await other.graphql(retitle, { title: `T${i}` })
    await received.until((items) => items.some((item) => JSON.stringify(item).includes(`T${i}"`)))
  }
})

test('the developer API lists the running live queries', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: ['metadata', 'graphql', 'developer'] } })
  const client = graphqlWsClient(t, trellis.url)
  const all = [1, 1, 2].map((id) => subscribeWith(client, book, { id }))
  await Promise.all(all.map((each) => each.atLeast(1)))
  const { body } = await trellis.request<{
    options: unknown
    live_queries_map: { role: string; multiplexed_query: string; cohorts: { variables: unknown; cohort: unknown }[] }[]
  }>('/dev/subscriptions/extended')
  assert.deepEqual(body.options, { batch_size: 100, refetch_delay: 1 })
  const [group, ...others] = body.live_queries_map
  assert.deepEqual([group!.role, others.length], ['admin', 0])
  assert.deepEqual(
    group!.cohorts.map(({ variables }) => variables),
    ['1', '2'].map((id) => ({ session: {}, query: { id }, synthetic: [] })),
  )
  const explained = { query: { query: book, variables: { id: 1 } } }
  const { body: explanation } = await trellis.request<{ sql: string }>('/v1/graphql/explain', { body: explained })
  assert.equal(group!.multiplexed_query, explanation.sql)
})

test('the developer API shows the sources of the values of a live query', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: ['metadata', 'graphql', 'developer'] } })
  await grant(trellis, 'reader', { publisher_id: { _eq: 'x-service-publisher' } })
  const headers = asRole('reader', { 'x-service-publisher': '1', 'x-service-unused': 'x' })
  const query = `subscription ($id: Int, $titles: String_comparison_exp) {
    book(where: {id: {_gte: $id}, _or: [{title: $titles}, {title: {_eq: "Fog"}}]}) { title }
  }`
  const variables = { id: 2, titles: { _in: ['Dawn', 'Ebb'] } }
  await subscribeWith(graphqlWsClient(t, trellis.url, headers), query, variables).atLeast(1)
  const { body } = await trellis.request<{ live_queries_map: { cohorts: { variables: unknown }[] }[] }>(
    '/dev/subscriptions/extended',
  )
  assert.deepEqual(body.live_queries_map[0]!.cohorts[0]!.variables, {
    session: { 'x-service-publisher': '1' },
    query: { id: '2' },
    synthetic: ['{"Dawn","Ebb"}', 'Fog'],
  })
})
